// The part of a slide that is analysed: red, green and blue of a rectangle.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <macareu/sources.hpp>

namespace macareu::slides {

/// A rectangle of a colour image in level 0. A fourth channel is left out.
class slide_part final : public image_source {
 public:
  slide_part(std::unique_ptr<image_source> slide, const image_region& part);

  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override;
  void read(const image_region& from, void* to) override;
  std::string identity() const override;

  const image_region& part() const { return part_; }

 private:
  std::unique_ptr<image_source> slide_;
  image_region part_;
  source_form form_;
  std::vector<std::uint8_t> all_channels_;
};

/// Opens a level of a slide. Of .npy and .zarr arrays with three axes the last may be channels.
std::unique_ptr<image_source> open_slide(const std::filesystem::path& file, int level,
                                         const std::filesystem::path& scratch);

/// Width and height of a pixel in micrometres, if the file has a size that a slide's pixels can have.
std::optional<std::pair<double, double>> pixel_size_um(const source_form& form);

}  // namespace macareu::slides
