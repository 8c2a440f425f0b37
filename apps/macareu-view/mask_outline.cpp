#include "mask_outline.hpp"

#include <algorithm>
#include <array>

#include <macareu/error.hpp>
#include <macareu/shapes.hpp>

#include "command/pixels.hpp"
#include "core/ceil_div.hpp"

namespace macareu::tool {

std::string mask_outline(image_source& mask, std::int64_t width) {
  const auto& form = mask.form();
  if (form.shape.rank() != 2 || form.channels != 1)
    throw usage_error("--mask is " + to_string(form.shape) + " with " + std::to_string(form.channels) +
                      " channels: a mask is a grey image");
  constexpr std::int64_t longest = 4096;
  const auto step =
      std::max<std::int64_t>(1, ceil_div(std::max(form.shape.height(), form.shape.width()), longest));
  const extents shape{ceil_div(form.shape.height(), step), ceil_div(form.shape.width(), step)};
  image small(dtype::u8, shape);
  image row(form.type, extents{1, form.shape.width()});
  auto* to = small.pixels<std::uint8_t>().data();
  for (std::int64_t y = 0; y < shape.height(); ++y) {
    mask.read({{0, y * step, 0}, {1, 1, form.shape.width()}}, row.data());
    with_pixels(row, [&](const auto values) {
      for (std::int64_t x = 0; x < shape.width(); ++x)
        *to++ = values[static_cast<std::size_t>(x * step)] > 0 ? 1 : 0;
    });
  }
  const auto scale =
      static_cast<double>(step) * static_cast<double>(width) / static_cast<double>(form.shape.width());
  shape_text text(shape_format::geojson, scale);
  std::string all;
  text.begin(all);
  const std::array<const_image_view, 1> inputs{small};
  for (const auto& part : compute_shapes(*find_operator("contours"), inputs, {}, {.device = "cpu"}))
    text.add(all, part);
  text.end(all);
  return all;
}

}  // namespace macareu::tool
