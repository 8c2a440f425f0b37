// Pixels that lie in a file as they are, at one offset.
#pragma once

#include <string>
#include <vector>

#include <macareu/sources.hpp>

#include "files/pixel_data.hpp"
#include "random_file.hpp"

namespace macareu::files {

/// Throws usage_error unless the region lies in the image.
void require_inside(const image_region& region, const extents& shape);

class stored_source final : public image_source {
 public:
  /// `named_by` are the files that identity() describes.
  stored_source(random_file pixels, std::uint64_t offset, const pixel_layout& layout, const metadata& info,
                std::vector<random_file> named_by);

  const source_form& form() const override { return form_; }
  void read(const image_region& from, void* to) override;
  std::string identity() const override;

 private:
  random_file pixels_;
  std::uint64_t offset_;
  pixel_layout layout_;
  source_form form_;
  std::vector<random_file> named_by_;
};

}  // namespace macareu::files
