#include "engines/cpu/line/envelope.hpp"

namespace macareu::cpu {

extern const envelope_kernels envelope_kernels_baseline;
#ifdef MACAREU_WITH_AVX2
extern const envelope_kernels envelope_kernels_avx2;
#endif

const envelope_kernels& best_envelope_kernels() {
#ifdef MACAREU_WITH_AVX2
  static const bool avx2 = __builtin_cpu_supports("avx2");
  if (avx2) return envelope_kernels_avx2;
#endif
  return envelope_kernels_baseline;
}

}  // namespace macareu::cpu
