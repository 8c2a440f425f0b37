// The correctly rounded root of a small integer in f32: one Newton step from the approximate inverse root.
// tests/cuda compares all of them with sqrt in f64. Unlike __fsqrt_rn it has no branch for 0.
#pragma once

#include <cstdint>

namespace macareu::cuda {

inline constexpr std::int64_t largest_small_square = std::int64_t{1} << 23;

__device__ inline float root_of_small(float square) {
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fmaxf(square, 0.25f)));
  const float s = square * inverse;
  return fmaf(fmaf(-s, s, square), 0.5f * inverse, s);
}

}  // namespace macareu::cuda
