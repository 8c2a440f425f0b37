// An image in a coded work file.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include <macareu/sources.hpp>

#include "core/coding/coded_file.hpp"
#include "core/host_threads.hpp"

namespace macareu {

/// Written once, then read, by several callers if they like.
class coded_image final : public image_sink, public image_source {
 public:
  coded_image(const source_form& form, const std::filesystem::path& folder, ranks* shared_by = nullptr)
      : form_(form), file_(std::make_shared<coded_file>(folder, size_of(form.type), shared_by)) {}

  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return {}; }
  void write(const image_region& to, const void* from) override { write(to, from, {}); }
  void write(const image_region& to, const void* from, const host_threads& threads) {
    file_->write(to, from, threads);
  }
  void commit() override {}
  /// What other ranks wrote is found by share(), which throws if it is not there.
  bool was_written(const image_region&) override { return file_->is_shared(); }
  /// Lets all ranks read what each has written; no-op without ranks.
  void share() { file_->share(); }
  void read(const image_region& from, void* to) override { read(from, to, {}); }
  void read(const image_region& from, void* to, const host_threads& threads) const {
    file_->read(from, to, threads);
  }
  /// A file that has all pixels, instead of writing them.
  using image_sink::adopt;
  void adopt(std::shared_ptr<coded_file> file) { file_ = std::move(file); }

 private:
  source_form form_;
  std::shared_ptr<coded_file> file_;
};

}  // namespace macareu
