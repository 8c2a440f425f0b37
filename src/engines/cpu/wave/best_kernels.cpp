#include "engines/cpu/wave/sweep.hpp"

namespace macareu::cpu {

extern const sweep_kernels sweep_kernels_baseline;
#ifdef MACAREU_X86_LEVELS
extern const sweep_kernels sweep_kernels_v3;
#endif

const sweep_kernels& best_sweep_kernels() {
#ifdef MACAREU_X86_LEVELS
  static const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
  if (v3) return sweep_kernels_v3;
#endif
  return sweep_kernels_baseline;
}

}  // namespace macareu::cpu
