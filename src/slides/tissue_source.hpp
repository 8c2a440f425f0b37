// A slide whose pixels outside the tissue are white, and are not read.
#pragma once

#include <cstdint>

#include <macareu/nuclei.hpp>
#include <macareu/sources.hpp>

namespace macareu::slides {

class tissue_source final : public image_source {
 public:
  /// Without a mask all pixels are tissue.
  tissue_source(image_source& rgb, const tissue_mask* tissue);

  const source_form& form() const override { return rgb_.form(); }
  std::array<std::int64_t, 3> chunk() const override { return rgb_.chunk(); }
  void read(const image_region& from, void* to) override;

  /// Pixels that are not tissue.
  std::uint64_t outside() const { return outside_; }

 private:
  bool is_tissue(std::int64_t y, std::int64_t x) const;

  image_source& rgb_;
  const tissue_mask* tissue_;
  std::uint64_t outside_ = 0;
};

}  // namespace macareu::slides
