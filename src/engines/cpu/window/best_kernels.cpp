#include "engines/cpu/window/sums.hpp"

namespace macareu::cpu {

extern const all_sum_kernels sum_kernels_baseline;
#ifdef MACAREU_WITH_AVX2
extern const all_sum_kernels sum_kernels_avx2;
#endif

const all_sum_kernels& best_sum_kernels() {
#ifdef MACAREU_WITH_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return sum_kernels_avx2;
#endif
  return sum_kernels_baseline;
}

}  // namespace macareu::cpu
