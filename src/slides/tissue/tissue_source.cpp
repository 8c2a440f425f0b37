#include "slides/tissue/tissue_source.hpp"

#include <algorithm>
#include <cstring>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"

namespace macareu::slides {
namespace {

constexpr int white = 255;
constexpr std::int64_t channels = 3;

}  // namespace

tissue_source::tissue_source(image_source& rgb, const tissue_mask* tissue, const image_region& part)
    : rgb_(rgb), tissue_(tissue), part_(part), form_(rgb.form()) {
  form_.shape = {part.size[1], part.size[2]};
  if (!tissue) return;
  const auto& shape = rgb.form().shape;
  const auto& mask = tissue->mask;
  if (mask.type() != dtype::boolean || tissue->factor < 1 ||
      mask.shape().height() < ceil_div(shape.height(), tissue->factor) ||
      mask.shape().width() < ceil_div(shape.width(), tissue->factor))
    throw usage_error("nuclei", "the tissue mask must be bool and cover the slide of " + to_string(shape));
  for_each_cell(part, [&](auto y, auto end_y, auto x, auto end_x) {
    if (!is_tissue(y, x)) outside_ += static_cast<std::uint64_t>((end_y - y) * (end_x - x));
  });
}

template <class Visit>
void tissue_source::for_each_cell(const image_region& of, const Visit& visit) const {
  const auto factor = tissue_->factor, bottom = of.first[1] + of.size[1], right = of.first[2] + of.size[2];
  for (auto y = of.first[1]; y < bottom;) {
    const auto end_y = std::min(bottom, (y / factor + 1) * factor);
    for (auto x = of.first[2]; x < right;) {
      const auto end_x = std::min(right, (x / factor + 1) * factor);
      visit(y, end_y, x, end_x);
      x = end_x;
    }
    y = end_y;
  }
}

bool tissue_source::is_tissue(std::int64_t y, std::int64_t x) const {
  const auto& mask = tissue_->mask;
  return mask.pixels<bool>()[static_cast<std::size_t>(y / tissue_->factor * mask.shape().width() +
                                                      x / tissue_->factor)];
}

void tissue_source::read(const image_region& wanted, void* to) {
  auto from = wanted;
  from.first[1] += part_.first[1];
  from.first[2] += part_.first[2];
  if (!tissue_) return rgb_.read(from, to);
  bool any = false;
  for_each_cell(from, [&](auto y, auto, auto x, auto) { any = any || is_tissue(y, x); });
  auto* const pixels = static_cast<std::uint8_t*>(to);
  if (!any) {
    std::memset(pixels, white, static_cast<std::size_t>(from.pixels() * channels));
    return;
  }
  rgb_.read(from, to);
  for_each_cell(from, [&](auto y, auto end_y, auto x, auto end_x) {
    if (is_tissue(y, x)) return;
    for (auto row = y; row < end_y; ++row)
      std::memset(pixels + ((row - from.first[1]) * from.size[2] + x - from.first[2]) * channels, white,
                  static_cast<std::size_t>((end_x - x) * channels));
  });
}

}  // namespace macareu::slides
