// Pixels against the mean and the deviation of a box around them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "patterns/boxes.hpp"

namespace macareu {

/// A value as an integer: itself, or a float in multiples of a power of 2.
template <class T, class Sum>
struct whole_values {
  double scale = 1;

  MACAREU_HD Sum operator()(T value) const {
    if constexpr (std::is_floating_point_v<T>)
      return static_cast<Sum>(static_cast<std::int64_t>(std::rint(static_cast<double>(value) * scale)));
    else
      return value;
  }

  /// The largest magnitude becomes less than 2^bits.
  static whole_values of(double largest, int bits) {
    if constexpr (std::is_floating_point_v<T>) {
      int exponent = 0;
      if (largest > 0) std::frexp(largest, &exponent);
      return {std::ldexp(1, bits - exponent)};
    } else {
      return {};
    }
  }
};

inline int bits_of(std::int64_t count) {
  int bits = 0;
  while (count >> bits != 0) ++bits;
  return bits;
}

/// value > sum / pixels - offset, exactly: value * pixels - sum > floor(-offset * pixels).
template <class T, class Sum>
struct above_mean {
  using sum = Sum;
  using signed_sum = std::make_signed_t<Sum>;
  static constexpr int terms = 1;
  whole_values<T, Sum> whole;
  Sum pixels;
  signed_sum bound;

  above_mean(std::int64_t count, double offset, double largest)
      : whole(whole_values<T, Sum>::of(largest, 62 - bits_of(count))), pixels(static_cast<Sum>(count)) {
    using limits = std::numeric_limits<signed_sum>;
    const double exact = std::floor(-offset * static_cast<double>(count) * whole.scale);
    bound = exact >= static_cast<double>(limits::max())      ? limits::max()
            : exact <= static_cast<double>(limits::lowest()) ? limits::lowest()
                                                             : static_cast<signed_sum>(exact);
  }

  MACAREU_HD Sum lift(int, T value) const { return whole(value); }
  MACAREU_HD std::uint8_t operator()(site, T value, const box_sums<above_mean>& box) const {
    return static_cast<signed_sum>(whole(value) * pixels - box.of[0]) > bound;
  }
};

/// Niblack's threshold m - k s, or Sauvola's m (1 + k (s / r - 1)) where r is given, in f64.
template <class T>
struct above_deviation {
  using sum = std::uint64_t;
  static constexpr int terms = 2;
  whole_values<T, sum> whole;
  double pixels, k, r;

  above_deviation(std::int64_t count, double largest, double weight, double most)
      : whole(whole_values<T, sum>::of(largest, (63 - bits_of(count)) / 2)),
        pixels(static_cast<double>(count)),
        k(weight),
        r(most) {}

  MACAREU_HD sum lift(int term, T value) const {
    const sum own = whole(value);
    return term == 0 ? own : own * own;
  }
  MACAREU_HD std::uint8_t operator()(site, T value, const box_sums<above_deviation>& box) const {
    const auto real = [](sum whole_sum) { return static_cast<double>(static_cast<std::int64_t>(whole_sum)); };
    const double mean = real(box.of[0]) / pixels, square = real(box.of[1]) / pixels - mean * mean;
    const double deviation = std::sqrt(square > 0 ? square : 0);
    const double own = static_cast<double>(value) * whole.scale;
    return own > (r > 0 ? mean * (1 + k * (deviation / (r * whole.scale) - 1)) : mean - k * deviation);
  }
};

/// value > other - offset, in f64.
struct above_other {
  double offset;
  MACAREU_HD std::uint8_t operator()(site, float value, float other) const {
    return static_cast<double>(value) > static_cast<double>(other) - offset;
  }
};

}  // namespace macareu
