// A part of a slide whose pixels outside the tissue are white, and are not read.
#pragma once

#include <cstdint>

#include <macareu/nuclei.hpp>
#include <macareu/sources.hpp>

namespace macareu::slides {

class tissue_source final : public image_source {
 public:
  /// Without a mask all pixels are tissue. Throws usage_error if the mask does not cover the slide.
  tissue_source(image_source& rgb, const tissue_mask* tissue, const image_region& part);

  const source_form& form() const override { return form_; }
  void read(const image_region& from, void* to) override;

  /// Pixels that are not tissue.
  std::uint64_t outside() const { return outside_; }

 private:
  bool is_tissue(std::int64_t y, std::int64_t x) const;
  /// visit(y, end of y, x, end of x) for the parts of a region of the slide that are one pixel of the mask.
  template <class Visit>
  void for_each_cell(const image_region& of, const Visit& visit) const;

  image_source& rgb_;
  const tissue_mask* tissue_;
  image_region part_;
  source_form form_;
  std::uint64_t outside_ = 0;
};

}  // namespace macareu::slides
