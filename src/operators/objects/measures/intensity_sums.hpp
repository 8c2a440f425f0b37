// Sums of intensities as integers, which do not depend on their order.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/key.hpp"
#include "patterns/tally.hpp"

namespace macareu {

/// Intensities as integers, exact or rounded to a multiple of the scale (scale_of).
struct intensity_scale {
  double per_value = 1;  // a power of two

  template <class T>
  MACAREU_HD std::int64_t operator()(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      const double scaled = static_cast<double>(value) * per_value;
      return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    } else if constexpr (sizeof(T) == 8) {
      // Integers of 64 bits are rounded down to a multiple if they do not fit.
      return per_value == 1 ? static_cast<std::int64_t>(value)
                            : static_cast<std::int64_t>(value / static_cast<T>(1 / per_value));
    } else {
      return static_cast<std::int64_t>(value);
    }
  }
};

/// Maps pixel values of any type to integers of the same order; from_order inverts it.
template <class T>
MACAREU_HD std::int64_t to_order(T value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to_key(value)) ^ std::uint64_t{1} << 63);
}
/// The same in 32 bits, for values of up to 32 bits; long_order widens it.
template <class T>
MACAREU_HD std::int32_t to_short_order(T value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(to_key(value)) ^ std::uint32_t{1} << 31);
}
MACAREU_HD inline std::int64_t long_order(std::int32_t order) {
  const auto key = static_cast<std::uint32_t>(order) ^ std::uint32_t{1} << 31;
  return static_cast<std::int64_t>(std::uint64_t{key} ^ std::uint64_t{1} << 63);
}
template <class T>
double from_order(std::int64_t order) {
  const auto key = static_cast<std::uint64_t>(order) ^ std::uint64_t{1} << 63;
  return static_cast<double>(from_key<T>(static_cast<key_of<T>>(key)));
}

/// Two instructions; a product of 128-bit factors takes many.
MACAREU_HD inline wide_sum wide_product(std::int64_t a, std::int64_t b) {
  return static_cast<wide_sum>(static_cast<signed_wide_sum>(a) * b);
}

/// Words that hold the sums of part_pixels pixels with their coordinates in a part, as two's complement.
/// Squares of 8-bit intensities are below 2^16, of 16-bit ones below 2^32; others may have 86 bits.
template <class... In>
struct part_words {
  using sum = std::uint32_t;
  using bound = std::int32_t;
};
template <class T>
struct part_words<T> {
  using sum = std::conditional_t<sizeof(T) == 1, std::uint32_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint64_t, wide_sum>>;
  using bound = std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>;
};

MACAREU_HD inline wide_sum widened(std::uint32_t word) {
  return static_cast<wide_sum>(static_cast<signed_wide_sum>(static_cast<std::int32_t>(word)));
}
MACAREU_HD inline wide_sum widened(std::uint64_t word) {
  return static_cast<wide_sum>(static_cast<signed_wide_sum>(static_cast<std::int64_t>(word)));
}
MACAREU_HD inline wide_sum widened(wide_sum word) { return word; }

/// Intensities alone: a few additions per pixel.
struct object_intensities {
  static constexpr int pixels = 0, mass = 0, mass_squared = 1;
  using row = tally_row<1, 2, 1>;

  intensity_scale scale;

  template <class Label, class T>
  MACAREU_HD void add(row& to, site, const labels_beside<Label>&, const T& intensity) const {
    const std::int64_t steps = scale(intensity);
    ++to.count[pixels];
    to.stretch(0, to_order(intensity));
    to.sum[mass] += static_cast<wide_sum>(static_cast<signed_wide_sum>(steps));
    to.sum[mass_squared] += wide_product(steps, steps);
  }
};

}  // namespace macareu
