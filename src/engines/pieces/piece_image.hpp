// An image between two runs in pieces: it takes the work files of the first, which the second reads.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <macareu/sources.hpp>

#include "engines/pieces/files/split_file.hpp"

namespace macareu::pieces {

/// Of one channel. The first run has a folder, whose files the caller keeps until the second ended.
class piece_image final : public image_sink, public image_source {
 public:
  explicit piece_image(source_form form) : form_(std::move(form)) {}

  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return {}; }
  void read(const image_region& from, void* to) override;
  /// The first run is continued with the same files.
  std::string identity() const override { return "work files of the same command"; }

  /// Never called: a run hands over files instead.
  void write(const image_region& to, const void* from) override;
  void commit() override {}
  using image_sink::adopt;
  /// Of ranks that are threads of one process each hands over the same files.
  void adopt(std::shared_ptr<const split_file> file) {
    const std::lock_guard lock(guard_);
    file_ = std::move(file);
  }

 private:
  source_form form_;
  std::mutex guard_;
  std::shared_ptr<const split_file> file_;
};

}  // namespace macareu::pieces
