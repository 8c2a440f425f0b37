// Final values of squared distances, four at a time.
#pragma once

#include <cstdint>

#include "engines/cuda/line/small_root.cuh"

namespace macareu::cuda {

/// Half of a word, below the upper half of another.
__device__ inline std::uint32_t half_of(std::uint32_t word, int which, std::uint32_t above) {
  return __byte_perm(word, above, which ? 0x7632 : 0x7610);
}

/// Keeps squares up to `limit` and replaces larger ones by `far`.
struct keep_square {
  using result = std::uint32_t;
  std::uint32_t limit, far;

  __device__ std::uint32_t operator()(std::uint32_t v) const { return v > limit ? far : v; }
  __device__ void operator()(const std::uint32_t (&v)[4], std::uint32_t (&to)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = (*this)(v[i]);
  }
  __device__ void halves(const std::uint32_t (&v)[4], int which, std::uint32_t (&to)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = (*this)(half_of(v[i], which, 0));
  }
};

/// sqrt(double) rounded to f32. If f32 holds the square, this is the correctly rounded root in f32. Double
/// rounding is harmless, because 53 bits are more than 2 * 24 + 1.
struct square_root {
  using result = float;
  std::uint32_t limit;
  float far;

  static constexpr std::uint32_t small = largest_small_square;

  /// Small squares are the low bits of a float from 2^23 on, which saves a conversion.
  static constexpr std::uint32_t two_to_23 = 0x4b000000;
  static __device__ float root_of_low_bits(std::uint32_t v) {
    return cuda::root_of_small(__uint_as_float(v) - 8388608.0f);
  }
  static __device__ float root_of_small(std::uint32_t v) { return root_of_low_bits(two_to_23 | v); }
  __device__ float operator()(std::uint32_t v) const {
    if (v > limit) return far;
    return v < small ? root_of_small(v) : static_cast<float>(sqrt(static_cast<double>(v)));
  }
  __device__ void operator()(const std::uint32_t (&v)[4], float (&to)[4]) const {
    const auto most = max(max(v[0], v[1]), max(v[2], v[3]));
    if (most < small && most <= limit) {
#pragma unroll
      for (int i = 0; i < 4; ++i) to[i] = root_of_small(v[i]);
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) to[i] = (*this)(v[i]);
    }
  }
  __device__ void halves(const std::uint32_t (&v)[4], int which, float (&to)[4]) const {
    if (limit >= 0xffff) {
#pragma unroll
      for (int i = 0; i < 4; ++i) to[i] = root_of_low_bits(half_of(v[i], which, two_to_23));
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) to[i] = (*this)(half_of(v[i], which, 0));
    }
  }
};

}  // namespace macareu::cuda
