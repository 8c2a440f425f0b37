// Compiled once per instruction set (engines/cpu/simd.hpp). A block of pixels has its sums in registers while
// it goes through the rows.
#include "engines/cpu/simd.hpp"
#include "engines/cpu/window/sums.hpp"

namespace macareu::cpu {
namespace {

constexpr int parts = 4;

template <class F, int Parts>
[[gnu::always_inline]] inline void symmetric_block(const F* const* rows, const F* half, int r, std::int64_t i,
                                                   F* out) {
  constexpr int lanes = simd<F>::lanes;
  vec<F> sum[Parts];
  const vec<F> centre = all_lanes(half[0]);
  for (int p = 0; p < Parts; ++p) sum[p] = load(rows[r] + i + p * lanes) * centre;
  for (int k = r; k > 0; --k) {
    const F* const before = rows[r - k] + i;
    const F* const after = rows[r + k] + i;
    const vec<F> weight = all_lanes(half[k]);
    for (int p = 0; p < Parts; ++p) sum[p] += (load(before + p * lanes) + load(after + p * lanes)) * weight;
  }
  for (int p = 0; p < Parts; ++p) store(out + i + p * lanes, sum[p]);
}

template <class F, int Parts>
[[gnu::always_inline]] inline void weighted_block(const F* const* rows, const F* weights, int taps,
                                                  std::int64_t i, F* out) {
  constexpr int lanes = simd<F>::lanes;
  vec<F> sum[Parts] = {};
  for (int j = 0; j < taps; ++j) {
    const vec<F> weight = all_lanes(weights[j]);
    for (int p = 0; p < Parts; ++p) sum[p] += weight * load(rows[j] + i + p * lanes);
  }
  for (int p = 0; p < Parts; ++p) store(out + i + p * lanes, sum[p]);
}

template <class F>
void symmetric(const F* const* rows, const F* half, int r, std::int64_t count, F* out) {
  constexpr int lanes = simd<F>::lanes;
  std::int64_t i = 0;
  for (; i + parts * lanes <= count; i += parts * lanes) symmetric_block<F, parts>(rows, half, r, i, out);
  for (; i + lanes <= count; i += lanes) symmetric_block<F, 1>(rows, half, r, i, out);
  for (; i < count; ++i) {
    F sum = rows[r][i] * half[0];
    for (int k = r; k > 0; --k) sum += (rows[r - k][i] + rows[r + k][i]) * half[k];
    out[i] = sum;
  }
}

template <class F>
void weighted(const F* const* rows, const F* weights, int taps, std::int64_t count, F* out) {
  constexpr int lanes = simd<F>::lanes;
  std::int64_t i = 0;
  for (; i + parts * lanes <= count; i += parts * lanes)
    weighted_block<F, parts>(rows, weights, taps, i, out);
  for (; i + lanes <= count; i += lanes) weighted_block<F, 1>(rows, weights, taps, i, out);
  for (; i < count; ++i) {
    F sum = 0;
    for (int j = 0; j < taps; ++j) sum += weights[j] * rows[j][i];
    out[i] = sum;
  }
}

}  // namespace

extern const all_sum_kernels MACAREU_SUM_KERNELS;
const all_sum_kernels MACAREU_SUM_KERNELS{{&symmetric<float>, &weighted<float>},
                                          {&symmetric<double>, &weighted<double>}};

}  // namespace macareu::cpu
