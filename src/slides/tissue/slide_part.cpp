#include "slides/tissue/slide_part.hpp"

#include <algorithm>
#include <cstddef>

#include <macareu/error.hpp>

namespace macareu::slides {

slide_part::slide_part(std::unique_ptr<image_source> slide, const image_region& part)
    : slide_(std::move(slide)), part_(part), form_(slide_->form()) {
  form_.shape = extents{part.size[1], part.size[2]};
  form_.channels = 3;
}

std::array<std::int64_t, 3> slide_part::chunk() const {
  // Tiles of the file do not begin where the part begins, unless it begins with one.
  auto tile = slide_->chunk();
  for (std::size_t axis = 1; axis < 3; ++axis)
    if (tile[axis] > 0 && part_.first[axis] % tile[axis] != 0) tile[axis] = 0;
  return tile;
}

void slide_part::read(const image_region& from, void* to) {
  auto region = from;
  for (std::size_t axis = 0; axis < 3; ++axis) region.first[axis] += part_.first[axis];
  const auto channels = static_cast<std::size_t>(slide_->form().channels);
  if (channels == 3) return slide_->read(region, to);
  all_channels_.resize(static_cast<std::size_t>(from.pixels()) * channels);
  slide_->read(region, all_channels_.data());
  auto* out = static_cast<std::uint8_t*>(to);
  for (std::size_t i = 0; i < all_channels_.size(); i += channels, out += 3)
    std::copy_n(all_channels_.data() + i, 3, out);
}

std::string slide_part::identity() const {
  auto text = slide_->identity();
  if (text.empty()) return text;
  for (const auto& sizes : {part_.first, part_.size})
    for (const auto size : sizes) text += " " + std::to_string(size);
  return text;
}

std::unique_ptr<image_source> open_slide(const std::filesystem::path& file, int level,
                                         const std::filesystem::path& scratch) {
  auto opened = open_source(file, {.level = level}, scratch);
  const auto& shape = opened->form().shape;
  if (shape.rank() != 3 || (shape.width() != 3 && shape.width() != 4)) return opened;
  return open_source(file, {.channels_last = true, .level = level}, scratch);
}

std::optional<std::pair<double, double>> pixel_size_um(const source_form& form) {
  if (!form.info.spacing) return std::nullopt;
  // Resolutions for printers, such as 72 per inch, say nothing about a slide.
  constexpr double least = 0.01, most = 20;
  const auto axis = static_cast<std::size_t>(form.shape.rank() - 2);
  const auto height = 1000 * (*form.info.spacing)[axis], width = 1000 * (*form.info.spacing)[axis + 1];
  const auto plausible = [](double size) { return size >= least && size <= most; };
  if (!plausible(width) || !plausible(height)) return std::nullopt;
  return std::pair{width, height};
}

}  // namespace macareu::slides
