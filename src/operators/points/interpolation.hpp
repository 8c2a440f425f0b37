// Pixels of a larger image from those around them. Pixels are squares: the middle of pixel x of n lies at
// (x + 1/2) / n of the side, in both images.
#pragma once

#include <cstdint>

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
      return mixed(at_x, [&](std::int64_t x) { return static_cast<double>(in(site{z, y, x})); });
    };
    const auto along_y = [&](std::int64_t z) {
      return mixed(at_y, [&](std::int64_t y) { return along_x(z, y); });
    };
    return nearest_pixel<T>(mixed(at_z, along_y));
  }

 private:
  MACAREU_HD static std::int64_t next(scaled_axis::place at) { return at.before + (at.beyond > 0); }
  /// Equal values stay, infinities too.
  template <class Values>
  MACAREU_HD static double mixed(scaled_axis::place at, const Values& value) {
    const double a = value(at.before);
    if (!(at.beyond > 0)) return a;
    const double b = value(at.before + 1);
    return a == b ? a : a * (1 - at.beyond) + b * at.beyond;
  }
};

}  // namespace macareu
