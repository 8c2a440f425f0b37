// An image between two runs in pieces: it takes the work files of the first, which the second reads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <macareu/sources.hpp>

#include "engines/pieces/files/split_file.hpp"

namespace macareu::pieces {

/// Of one channel. The first run has a folder, whose files the caller keeps until the second ended.
class piece_image final : public image_sink, public image_source {
 public:
  /// Its files have chunks of such a size, or pieces that suit the first run.
  piece_image(source_form form, std::optional<site> chunk_of_files)
      : form_(std::move(form)), chunk_of_files_(chunk_of_files) {}

  const source_form& form() const override { return form_; }
  const std::optional<site>& chunk_of_files() const { return chunk_of_files_; }
  std::array<std::int64_t, 3> chunk() const override { return {}; }
  void read(const image_region& from, void* to) override;
  /// The first run is continued with the same files.
  std::string identity() const override { return "work files of the same command"; }

  /// Never called: a run hands over files instead.
  void write(const image_region& to, const void* from) override;
  void commit() override {}
  using image_sink::adopt;
  /// Of ranks that are threads of one process each hands over the same files.
  void adopt(std::shared_ptr<const split_file> file, std::optional<std::uint64_t> labels) {
    const std::lock_guard lock(guard_);
    file_ = std::move(file);
    labels_ = labels;
  }
  /// Of labels 1..n: n, if the first run has counted them.
  const std::optional<std::uint64_t>& labels() const { return labels_; }
  /// The files, once the first run has handed them over: null for an image without pixels.
  const split_file* adopted() const { return file_.get(); }

 private:
  source_form form_;
  std::optional<site> chunk_of_files_;
  std::mutex guard_;
  std::shared_ptr<const split_file> file_;
  std::optional<std::uint64_t> labels_;
};

}  // namespace macareu::pieces
