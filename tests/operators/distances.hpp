// Images of sites for distances, and what distance_transform gives beside its distances.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <macareu/macareu.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {

using binary_image = picture<std::uint8_t>;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline binary_image draw_sites(std::mt19937& dice) {
  const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + dice() % most); };
  binary_image f;
  f.shape = dice() % 2 ? extents{side(20), side(40)} : extents{side(7), side(8), side(9)};
  f.pixels.resize(static_cast<std::size_t>(f.shape.pixels()));
  const auto one_in = 1 + dice() % (dice() % 3 ? 5 : 100);
  for (auto& pixel : f.pixels) pixel = dice() % one_in == 0 ? 0 : static_cast<std::uint8_t>(1 + dice() % 255);
  return f;
}

/// What the optional outputs hold.
struct places {
  image distances, indices, labels;
};

inline places with_places(const binary_image& f, const arguments& given, const context& where, bool labels) {
  const auto& about = *find_operator("distance_transform");
  places got{image(output_type(about, 0, dtype::u8, f.shape, given), f.shape), image(dtype::i64, f.shape),
             labels ? image(dtype::u8, f.shape) : image()};
  run_operator(about, std::vector<const_image_view>{f},
               std::vector<image_view>{got.distances, got.indices, got.labels}, given, where);
  return got;
}

}  // namespace macareu::test
