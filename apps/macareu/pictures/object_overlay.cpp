#include "pictures/object_overlay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>

#include "command/pixels.hpp"
#include "pictures/number_canvas.hpp"

namespace macareu::tool {
namespace {

/// The colour of the object's outline.
colour colour_of(std::uint64_t label) {
  constexpr std::array<colour, 6> bright{
      {{255, 80, 60}, {80, 220, 90}, {90, 160, 255}, {255, 200, 40}, {240, 90, 230}, {60, 220, 220}}};
  return bright[label % bright.size()];
}

/// Outlines in colour on the image in grey.
image outlined(const image& under, const image& labels) {
  image picture(dtype::u8, labels.shape(), 3);
  const image_view all = picture;
  const std::array<const_image_view, 2> inputs{labels, under};
  const std::array channels{all.channel(0), all.channel(1), all.channel(2)};
  run_operator(*find_operator("object_picture"), inputs, channels, {}, {.device = "cpu"});
  return picture;
}

struct object {
  std::uint64_t label = 0;
  std::int64_t pixels = 0, sum_y = 0, sum_x = 0;
  // The first pixel nearest to the centroid. It lies in the object, unlike the centroid of a ring.
  std::int64_t y = 0, x = 0;
  double distance = std::numeric_limits<double>::infinity();
};

/// The objects that have pixels, largest first.
template <class Label>
std::vector<object> objects_of(std::span<const Label> labels, const extents& shape, std::uint64_t greatest) {
  std::vector<object> objects(greatest + 1);
  const auto for_each_pixel = [&](const auto& visit) {
    for (std::int64_t y = 0; y < shape[0]; ++y)
      for (std::int64_t x = 0; x < shape[1]; ++x)
        if (const auto label = labels[static_cast<std::size_t>(y * shape[1] + x)]; label > Label{})
          visit(objects[static_cast<std::size_t>(label)], y, x);
  };
  for_each_pixel([](object& own, std::int64_t y, std::int64_t x) {
    ++own.pixels;
    own.sum_y += y;
    own.sum_x += x;
  });
  for_each_pixel([](object& own, std::int64_t y, std::int64_t x) {
    const auto count = static_cast<double>(own.pixels);
    const auto down = static_cast<double>(y) - static_cast<double>(own.sum_y) / count;
    const auto right = static_cast<double>(x) - static_cast<double>(own.sum_x) / count;
    if (const auto distance = down * down + right * right; distance < own.distance) {
      own.distance = distance;
      own.y = y;
      own.x = x;
    }
  });
  for (std::uint64_t label = 0; label <= greatest; ++label) objects[label].label = label;
  std::erase_if(objects, [](const object& one) { return one.pixels == 0; });
  std::ranges::stable_sort(objects, std::greater<>(), &object::pixels);
  return objects;
}

/// Large images are viewed as a whole, so digits grow with them, but more slowly: objects do not grow.
std::int64_t largest_scale(const extents& shape) {
  const auto side = static_cast<double>(std::max(shape[0], shape[1]));
  return std::max<std::int64_t>(1, std::lround(std::sqrt(side / 512)));
}

/// Draws a number as large as fits the object. Omits it if it would hide another number, or if even the
/// smallest digits would hide much more than the object.
void draw_number(canvas& on, const object& of, std::int64_t scale) {
  constexpr std::int64_t much = 2;
  const auto text = std::to_string(of.label);
  const auto place = [&] { return on.place_of(text, of.y, of.x, scale); };
  while (scale > 1 && place().area() > of.pixels) --scale;
  if (place().area() <= much * of.pixels && !on.is_taken(place()))
    on.write(text, place(), scale, colour_of(of.label));
}

}  // namespace

image overlay(const image& under, const image& labels, const table& objects) {
  canvas drawn(outlined(under, labels));
  const auto greatest =
      objects.rows() == 0 ? 0 : static_cast<std::uint64_t>(objects["label"][objects.rows() - 1].to_double());
  with_pixels(labels, [&]<class Label>(std::span<const Label> numbers) {
    for (const auto& one : objects_of(numbers, labels.shape(), greatest))
      draw_number(drawn, one, largest_scale(labels.shape()));
  });
  return drawn.take();
}

}  // namespace macareu::tool
