// Pixels of a larger image from those around them. Pixels are squares: the middle of pixel x of n lies at
// (x + 1/2) / n of the side, in both images.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/site.hpp"
#include "operators/common/numbers.hpp"

namespace macareu {

/// One axis: places are exact fractions.
struct scaled_axis {
  std::int64_t from, to, size;  // so many pixels become so many; those along the axis
  double inverse;               // of 2 to, nearly

  MACAREU_HD scaled_axis(std::int64_t n, std::int64_t m) : scaled_axis(n, m, n) {}
  MACAREU_HD scaled_axis(std::int64_t n, std::int64_t m, std::int64_t all)
      : from(n), to(m), size(all), inverse(1 / static_cast<double>(2 * m)) {}

  struct place {
    std::int64_t before;  // the pixel at or before it
    double beyond;        // share of the way to the next pixel
  };

  /// The pixel that contains the middle of pixel x.
  MACAREU_HD std::int64_t containing(std::int64_t x) const { return whole((2 * x + 1) * from); }

  /// Where the middle of pixel x lies between the middles of pixels.
  MACAREU_HD place between(std::int64_t x) const {
    const auto at = (2 * x + 1) * from - to;
    if (at <= 0) return {0, 0};
    const auto before = whole(at);
    if (before >= size - 1) return {size - 1, 0};
    return {before, static_cast<double>(at - before * 2 * to) / static_cast<double>(2 * to)};
  }

 private:
  /// at / (2 to), rounded down. An integer division takes longer than the rest of a pixel.
  MACAREU_HD std::int64_t whole(std::int64_t at) const {
    auto found = static_cast<std::int64_t>(static_cast<double>(at) * inverse);
    if (found * 2 * to > at) --found;
    if ((found + 1) * 2 * to <= at) ++found;
    return found;
  }
};

struct scaled_image {
  scaled_axis z, y, x;
};

template <class Key>
struct nearest_in {
  scaled_image axes;

  MACAREU_HD site first(site p) const {
    return {axes.z.containing(p.z), axes.y.containing(p.y), axes.x.containing(p.x)};
  }
  MACAREU_HD site last(site p) const { return first(p); }
  template <class In>
  MACAREU_HD Key operator()(site p, const In& in) const {
    return in(first(p));
  }
};

/// In f64: along x, then y, then z.
template <class T>
struct linear_between {
  scaled_image axes;

  MACAREU_HD site first(site p) const {
    return {axes.z.between(p.z).before, axes.y.between(p.y).before, axes.x.between(p.x).before};
  }
  MACAREU_HD site last(site p) const {
    return {next(axes.z.between(p.z)), next(axes.y.between(p.y)), next(axes.x.between(p.x))};
  }
  template <class In>
  MACAREU_HD T operator()(site p, const In& in) const {
    const auto at_z = axes.z.between(p.z), at_y = axes.y.between(p.y), at_x = axes.x.between(p.x);
    const auto along_x = [&](std::int64_t z, std::int64_t y) {
      return between(at_x, [&](std::int64_t x) { return static_cast<double>(in(site{z, y, x})); });
    };
    const auto along_y = [&](std::int64_t z) {
      return between(at_y, [&](std::int64_t y) { return along_x(z, y); });
    };
    return pixel(between(at_z, along_y));
  }

  /// For engines that mix rows.
  scaled_axis::place row(std::int64_t y) const { return axes.y.between(y); }
  scaled_axis::place column(std::int64_t x) const { return axes.x.between(x); }
  /// Equal values stay, infinities too. A place on the first pixel has only that one.
  MACAREU_HD static double mixed(double a, double b, double beyond) {
    const double both = a * (1 - beyond) + b * beyond;
    return a == b || !(beyond > 0) ? a : both;
  }
  MACAREU_HD T pixel(double value) const {
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
      // Values lie between pixels. Sums with this number have no bits behind the point, and halves are even:
      // as std::rint, which is not vectorised for all processors.
      constexpr double whole = 6755399441055744.0;
      return static_cast<T>(static_cast<std::int32_t>((value + whole) - whole));
    } else {
      return nearest_pixel<T>(value);
    }
  }

 private:
  MACAREU_HD static std::int64_t next(scaled_axis::place at) { return at.before + (at.beyond > 0); }
  template <class Values>
  MACAREU_HD static double between(scaled_axis::place at, const Values& value) {
    const double a = value(at.before);
    return at.beyond > 0 ? mixed(a, value(at.before + 1), at.beyond) : a;
  }
};

}  // namespace macareu
