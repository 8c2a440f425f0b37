#ifdef __CUDACC__
namespace on_gpu {

/// sqrtf for a GPU with the rounding of a CPU: one Newton step from the approximate inverse root. Only
/// non-integers need the branch, so the compiler drops it for converted integers.
__device__ static inline float root(float x) {
  constexpr float tiny = 0x1p-100f, largest = 0x1.fffffep+127f;
  if ((x > -tiny && x < tiny && x != 0) || x > largest) return sqrtf(x);
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x + 0x1p-126f));  // the sum is x, except for 0
  const float guess = x * inverse;
  return fmaf(fmaf(-guess, guess, x), 0.5f * inverse, guess);
}

}  // namespace on_gpu
#define sqrtf on_gpu::root
#endif

