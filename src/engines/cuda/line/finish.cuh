// What becomes of squared distances, four at a time.
#pragma once

#include <cstdint>

namespace macareu::cuda {

/// As they are; one value beyond the limit.
struct keep_square {
  using result = std::uint32_t;
  std::uint32_t limit, far;

  __device__ std::uint32_t operator()(std::uint32_t v) const { return v > limit ? far : v; }
  __device__ void operator()(const std::uint32_t (&v)[4], std::uint32_t (&to)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) to[i] = (*this)(v[i]);
  }
};

/// sqrt(double) rounded to f32. Where f32 holds the square that is the correctly rounded root in f32 (53 bits
/// are more than twice 24 + 1, so rounding twice rounds once): one step of Newton from the approximate
/// inverse root. All of them were compared (tests/cuda). Unlike __fsqrt_rn it has no branch for 0.
struct square_root {
  using result = float;
  std::uint32_t limit;
  float far;

  static constexpr std::uint32_t small = 1u << 23;

  /// Of small squares. They are the low bits of a float from 2^23 on, which saves a conversion.
  static __device__ float root_of_small(std::uint32_t v) {
    constexpr std::uint32_t two_to_23 = 0x4b000000;
    const float f = __uint_as_float(two_to_23 | v) - 8388608.0f;
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaxf(f, 0.25f)));
    const float s = f * inverse;
    return fmaf(fmaf(-s, s, f), 0.5f * inverse, s);
  }
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
};

}  // namespace macareu::cuda
