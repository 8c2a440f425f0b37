// Small images written down or drawn, and what operators make of them on the serial engine.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "support/dice.hpp"
#include "support/palettes.hpp"
#include "support/same.hpp"
#include "support/types.hpp"

namespace macareu::test {

inline const context on_serial{.device = "serial"};

template <class T>
struct picture {
  extents shape;
  std::vector<T> pixels;
  dtype type = dtype_of<T>;

  const_image_view view() const { return {pixels.data(), type, shape, contiguous_strides(shape)}; }
  image_view view() { return {pixels.data(), type, shape, contiguous_strides(shape)}; }
  operator const_image_view() const { return view(); }
};

template <class T>
std::vector<T> values_of(const image& result) {
  const auto* first = static_cast<const T*>(result.data());
  return {first, first + result.shape().pixels()};
}

/// A picture of few values: full of ties, ends of the type, and (kind of palette) steps.
template <class T>
picture<T> draw_picture(dice& from, dtype type, int rank) {
  const auto side = [&](int longest) { return from.between(1, longest); };
  picture<T> drawn{rank == 3 ? extents{side(4), side(5), side(6)} : extents{side(9), side(11)}, {}, type};
  std::vector<T> palette(static_cast<std::size_t>(from.between(2, 7)));
  draw_palette(from, type, palette);
  drawn.pixels.resize(static_cast<std::size_t>(drawn.shape.pixels()));
  for (auto& value : drawn.pixels) value = from.pick(palette);
  return drawn;
}

/// visit.operator()<T>(type, neighbours, dice) for so many random images of every type, over all
/// connectivities.
template <class Visit>
void for_random_images(std::string_view name, std::int64_t per_type, Visit visit) {
  for (const auto type : all_types)
    for (std::int64_t i = 0; i < scaled(per_type); ++i) {
      const auto near = all_neighbours[static_cast<std::size_t>(i) % all_neighbours.size()];
      const auto seed = seed_of(name, type, i);
      dice from(seed);
      SCOPED_TRACE(std::string(name_of(type)) + ", connectivity " + std::to_string(near.count) + ", seed " +
                   std::to_string(seed));
      with_type(type, [&]<class T>() { visit.template operator()<T>(type, near, from); });
      if (::testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace macareu::test
