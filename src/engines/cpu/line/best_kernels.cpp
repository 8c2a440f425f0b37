#include "engines/cpu/line/envelope.hpp"
#include "engines/cpu/line/squares.hpp"

namespace macareu::cpu {

extern const envelope_kernels envelope_kernels_baseline;
extern const square_kernels square_kernels_baseline;
#ifdef MACAREU_WITH_AVX2
extern const envelope_kernels envelope_kernels_avx2;
extern const square_kernels square_kernels_avx2;
namespace {
bool has_avx2() {
  static const bool found = __builtin_cpu_supports("avx2");
  return found;
}
}  // namespace

const envelope_kernels& best_envelope_kernels() {
  return has_avx2() ? envelope_kernels_avx2 : envelope_kernels_baseline;
}
const square_kernels& best_square_kernels() {
  return has_avx2() ? square_kernels_avx2 : square_kernels_baseline;
}
#else
const envelope_kernels& best_envelope_kernels() { return envelope_kernels_baseline; }
const square_kernels& best_square_kernels() { return square_kernels_baseline; }
#endif

}  // namespace macareu::cpu
