// What a stained slide is drawn with: random numbers, outlines and a canvas of absorbances.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "instances/hash.hpp"
#include "instances/rows.hpp"

namespace macareu::formula::stained {

/// Formulas see an image's pixel (0, 0) here, so that what lies beyond its rim has coordinates above 0.
inline constexpr std::int64_t origin = std::int64_t{1} << 20;

/// What random numbers are for.
enum class use : std::uint64_t {
  cover,
  zone,
  fibres,
  bend,
  grain,
  dirt,
  structures,
  cells,
  chromatin,
  red_cells,
  dust,
  marks,
  ink,
  sensor
};

constexpr std::uint64_t key_for(std::uint64_t seed, use what, std::uint64_t index = 0) {
  return key_of(seed, stream::stained, static_cast<std::uint64_t>(what) << 32) + golden * index;
}

/// Random numbers in sequence.
class dice {
 public:
  explicit constexpr dice(std::uint64_t key) : state_(key) {}
  constexpr dice(std::uint64_t key, std::int64_t row, std::int64_t column)
      : state_(mix64(key + golden * static_cast<std::uint64_t>(row)) ^ static_cast<std::uint64_t>(column)) {}

  /// Uniform from low to high, both included.
  constexpr std::int32_t between(std::int32_t low, std::int32_t high) {
    state_ += golden;
    const auto bits = mix64(state_) >> 32;
    return low + static_cast<std::int32_t>(bits * static_cast<std::uint64_t>(high - low + 1) >> 32);
  }
  constexpr bool per_cent(std::int32_t share) { return between(0, 99) < share; }

 private:
  std::uint64_t state_;
};

/// 2^14 times sine of angle / 256 of a turn, by Bhaskara's formula: within 0.2 %.
constexpr std::int32_t sine(std::int32_t angle) {
  const auto part = angle & 127, product = part * (128 - part);
  const auto value = (4 * product << 14) / (20480 - product);
  return (angle & 128) != 0 ? -value : value;
}
constexpr std::int32_t cosine(std::int32_t angle) { return sine(angle + 64); }

/// The whole part of a square root of less than 2^32.
constexpr std::int64_t root(std::int64_t of) {
  std::int64_t found = 0;
  for (std::int64_t bit = 1 << 15; bit > 0; bit >>= 1)
    if ((found + bit) * (found + bit) <= of) found += bit;
  return found;
}

/// 1 in levels of a blob, coordinates of its unit circle and shares.
inline constexpr std::int32_t one = 4096;

/// An ellipse with an irregular outline. Lengths are in sixteenths of a pixel, the direction in 2^-14.
struct blob {
  std::int64_t y = 0, x = 0;
  std::int32_t along = 16, across = 16;
  std::int32_t cos = 1 << 14, sin = 0;
  /// Weights of the harmonics of order 3 and 4 that bend the outline.
  std::array<std::int32_t, 4> lobes{};

  /// At a point of the unit circle's frame: 0 at the centre, below `one` inside.
  constexpr std::int32_t level_at(std::int32_t u, std::int32_t v) const {
    // Farther out the harmonics would exceed the radius.
    constexpr auto far = 2 * one, rim = 8 * one / 5;
    if (u > far || u < -far || v > far || v < -far) return 4 * one;
    const auto uu = u * u >> 12, vv = v * v >> 12, uv = u * v >> 12, radius = uu + vv;
    if (radius > rim) return radius;
    const auto real3 = u * (uu - 3 * vv) >> 12, imaginary3 = v * (3 * uu - vv) >> 12;
    const auto real4 = ((uu - vv) * (uu - vv) - 4 * uv * uv) >> 12, imaginary4 = 4 * uv * (uu - vv) >> 12;
    return radius +
           ((lobes[0] * real3 + lobes[1] * imaginary3 + lobes[2] * real4 + lobes[3] * imaginary4) >> 12);
  }

  /// Draws the lobes, each at most `most` / 4096.
  constexpr void bend(dice& random, std::int32_t most) {
    for (auto& lobe : lobes) lobe = random.between(-most, most);
  }
  constexpr void turn(std::int32_t angle) {
    cos = cosine(angle);
    sin = sine(angle);
  }
  /// Turns it to a direction; components are below 2^15.
  constexpr void aim(std::int64_t dy, std::int64_t dx) {
    const auto length = std::max<std::int64_t>(root(dy * dy + dx * dx), 1);
    cos = static_cast<std::int32_t>((dx << 14) / length);
    sin = static_cast<std::int32_t>((dy << 14) / length);
  }
};

/// Levels of a blob at pixels.
class blob_levels {
 public:
  explicit blob_levels(const blob& of)
      : of_(of), per_along_((1 << 24) / of.along), per_across_((1 << 24) / of.across) {}

  std::int32_t operator()(std::int64_t y, std::int64_t x) const {
    const auto dy = 16 * y - of_.y, dx = 16 * x - of_.x;
    const auto along = (dx * of_.cos + dy * of_.sin) >> 14, across = (dy * of_.cos - dx * of_.sin) >> 14;
    return of_.level_at(static_cast<std::int32_t>(along * per_along_ >> 12),
                        static_cast<std::int32_t>(across * per_across_ >> 12));
  }

 private:
  blob of_;
  std::int32_t per_along_, per_across_;
};

/// Absorbance in red, green and blue, in 1/1024.
using absorbance = std::array<std::int32_t, 3>;

constexpr absorbance stains(std::int32_t haematoxylin, std::int32_t eosin) {
  // 1024 times (.65, .70, .29) and (.2159, .8012, .5581).
  return {(666 * haematoxylin + 221 * eosin) >> 10, (717 * haematoxylin + 820 * eosin) >> 10,
          (297 * haematoxylin + 571 * eosin) >> 10};
}

/// Absorbances of a box of pixels, interleaved.
struct canvas {
  box area;
  std::uint16_t* values;

  std::int64_t width() const { return area.right - area.left; }
  std::uint16_t* row(std::int64_t y) const { return values + 3 * (y - area.top) * width(); }
  std::uint16_t* pixel(std::int64_t y, std::int64_t x) const { return row(y) + 3 * (x - area.left); }
  /// Calls visit(y, x, pixel) for the pixels within `reach` of a point that lie on the canvas.
  template <class Visit>
  void around(std::int64_t y0, std::int64_t x0, std::int64_t reach, const Visit& visit) const {
    for (auto y = std::max(y0 - reach, area.top); y < std::min(y0 + reach + 1, area.bottom); ++y)
      for (auto x = std::max(x0 - reach, area.left); x < std::min(x0 + reach + 1, area.right); ++x)
        visit(y, x, pixel(y, x));
  }
};

inline void put(std::uint16_t* pixel, const absorbance& value) {
  for (int c = 0; c < 3; ++c) pixel[c] = static_cast<std::uint16_t>(value[c]);
}

}  // namespace macareu::formula::stained
