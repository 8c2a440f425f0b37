// An image in a work file.
#pragma once

#include <filesystem>

#include <macareu/sources.hpp>

#include "core/coded_file.hpp"

namespace macareu::slides {

/// Written once, then read, by several threads if they like.
class scratch_image final : public image_sink, public image_source {
 public:
  scratch_image(const source_form& form, const std::filesystem::path& folder)
      : form_(form), file_(folder, size_of(form.type)) {}

  const source_form& form() const override { return form_; }
  void write(const image_region& to, const void* from) override { file_.write(to, from); }
  void commit() override {}
  void read(const image_region& from, void* to) override { file_.read(from, to); }
  std::array<std::int64_t, 3> chunk() const override { return {}; }

 private:
  source_form form_;
  coded_file file_;
};

}  // namespace macareu::slides
