// The length of a 2-D vector, with the same bits on every processor and engine. hypot of the C library
// depends on whether the processor has a fused multiply-add.
#pragma once

#include <cmath>
#include <concepts>

#include "core/macros.hpp"

namespace macareu {

/// For lengths from 2^-500 to 2^511 in f64, and all in f32; squares beyond those under- or overflow. f64: the
/// error is below 0.9 units in the last place, so the result is one of the two nearest numbers. f32: the
/// nearest number, except that lengths within 2^-28 units of a tie count as ties.
template <std::floating_point V>
MACAREU_HD V hypot_of(V a, V b) {
  if constexpr (std::same_as<V, float>) {
    const double x = a, y = b;
    return static_cast<float>(std::sqrt(x * x + y * y));
  } else {
    const double x = std::fabs(a), y = std::fabs(b);
    const double most = x < y ? y : x, least = x < y ? x : y, twice = least + least, apart = most - least;
    // For similar components, 2 most least + (most - least)^2: the difference is exact. Either way the
    // separately rounded term is at most a fifth of the sum.
    const bool close = twice >= most;
    const double near = apart * apart, far = least * least;
    return std::sqrt(std::fma(close ? twice : most, most, close ? near : far));
  }
}

}  // namespace macareu
