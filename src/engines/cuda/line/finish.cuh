// What becomes of a squared distance.
#pragma once

#include <cstdint>

namespace macareu::cuda {

/// As it is; one value beyond the limit.
struct keep_square {
  using result = std::uint32_t;
  std::uint32_t limit, far;

  __device__ std::uint32_t operator()(std::uint32_t v) const { return v > limit ? far : v; }
};

/// sqrt(double) rounded to f32. Below 2^24 that is the correctly rounded root in f32 (53 bits are more than
/// twice 24 + 1, so rounding twice rounds once): one step of Newton from the approximate inverse root,
/// compared for all those numbers in tests/cuda. Unlike __fsqrt_rn it has no branch for 0.
struct square_root {
  using result = float;
  std::uint32_t limit;
  float far;

  static constexpr std::uint32_t exact_in_f32 = 1u << 24;

  static __device__ float root_below(std::uint32_t v) {
    const float f = static_cast<float>(v);
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaxf(f, 0.25f)));
    const float s = f * inverse;
    return fmaf(fmaf(-s, s, f), 0.5f * inverse, s);
  }
  __device__ float operator()(std::uint32_t v) const {
    float root = root_below(v);
    if (v >= exact_in_f32) root = static_cast<float>(sqrt(static_cast<double>(v)));
    return v > limit ? far : root;
  }
};

}  // namespace macareu::cuda
