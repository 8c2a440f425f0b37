#include "engines/cpu/wave/sweep.hpp"

namespace macareu::cpu {

extern const sweep_kernels sweep_kernels_baseline;
#ifdef MACAREU_WITH_AVX2
extern const sweep_kernels sweep_kernels_avx2;
#endif

const sweep_kernels& best_sweep_kernels() {
#ifdef MACAREU_WITH_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return sweep_kernels_avx2;
#endif
  return sweep_kernels_baseline;
}

}  // namespace macareu::cpu
