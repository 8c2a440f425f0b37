#ifdef __CUDACC__
namespace on_gpu {

/// sqrtf for a GPU, rounded like a CPU's: one step of Newton from the approximate inverse root, which needs a
/// branch only for what no integer is. Where x was one the compiler sees that, and drops the branch.
__device__ static inline float root(float x) {
  constexpr float tiny = 0x1p-100f, largest = 0x1.fffffep+127f;
  if ((x > -tiny && x < tiny && x != 0) || x > largest) return sqrtf(x);
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x + 0x1p-126f));  // the sum is x, but not for 0
  const float guess = x * inverse;
  return fmaf(fmaf(-guess, guess, x), 0.5f * inverse, guess);
}

}  // namespace on_gpu
#define sqrtf on_gpu::root
#endif

