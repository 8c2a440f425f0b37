// Compiled once per instruction set (engines/cpu/simd.hpp). A block of pixels has its sums in registers while
// it goes through the rows.
#include <type_traits>

#ifdef __aarch64__
#include <arm_neon.h>
#endif

#include "engines/cpu/simd.hpp"
#include "engines/cpu/window/sums.hpp"

namespace macareu::cpu {
namespace {

constexpr int parts = 4;

typedef float half_vector __attribute__((vector_size(vector_bytes / 2)));

template <class F>
[[gnu::always_inline]] inline void give(F* to, vec<F> sum) {
  store(to, sum);
}
[[gnu::always_inline]] inline void give(float* to, vec<double> sum) {
  const half_vector rounded = __builtin_convertvector(sum, half_vector);
  std::memcpy(to, &rounded, sizeof rounded);
}

/// To f32 and back. g++ 12 would widen lane by lane.
[[gnu::always_inline]] inline vec<double> rounded_to_f32(vec<double> value) {
  const half_vector rounded = __builtin_convertvector(value, half_vector);
#ifdef __aarch64__
  return vcvt_f64_f32(rounded);
#else
  return __builtin_convertvector(rounded, vec<double>);
#endif
}

/// Rounded to Round, and written as Out. `reach` may be a constant, which unrolls the loop.
template <class F, class Round, class Out, int Parts, class Reach>
[[gnu::always_inline]] inline void symmetric_block(const F* const* rows, const F* half, Reach reach,
                                                   std::int64_t i, Out* out) {
  constexpr int lanes = simd<F>::lanes;
  const int r = reach;
  vec<F> sum[Parts];
  for (int p = 0; p < Parts; ++p) sum[p] = load(rows[r] + i + p * lanes) * half[0];
  for (int k = r; k > 0; --k) {
    const F* const before = rows[r - k] + i;
    const F* const after = rows[r + k] + i;
    for (int p = 0; p < Parts; ++p) sum[p] += (load(before + p * lanes) + load(after + p * lanes)) * half[k];
  }
  for (int p = 0; p < Parts; ++p) {
    if constexpr (!std::is_same_v<Round, F> && std::is_same_v<Out, F>) sum[p] = rounded_to_f32(sum[p]);
    give(out + i + p * lanes, sum[p]);
  }
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

template <class F, class Round, class Out, class Reach>
[[gnu::always_inline]] inline void symmetric_row(const F* const* rows, const F* half, Reach reach,
                                                 std::int64_t count, Out* out) {
  constexpr int lanes = simd<F>::lanes;
  const int r = reach;
  std::int64_t i = 0;
  for (; i + parts * lanes <= count; i += parts * lanes)
    symmetric_block<F, Round, Out, parts>(rows, half, reach, i, out);
  for (; i + lanes <= count; i += lanes) symmetric_block<F, Round, Out, 1>(rows, half, reach, i, out);
  for (; i < count; ++i) {
    F sum = rows[r][i] * half[0];
    for (int k = r; k > 0; --k) sum += (rows[r - k][i] + rows[r + k][i]) * half[k];
    out[i] = static_cast<Out>(static_cast<Round>(sum));
  }
}

template <class F, class Round = F, class Out = F>
void symmetric(const F* const* rows, const F* half, int r, std::int64_t count, Out* out) {
  const auto with = [&]<int Reach>(std::integral_constant<int, Reach> reach) {
    const F* row[2 * Reach + 1];  // what writes cannot change stays in registers
    F weights[Reach + 1];
    for (int k = 0; k <= 2 * Reach; ++k) row[k] = rows[k];
    for (int k = 0; k <= Reach; ++k) weights[k] = half[k];
    symmetric_row<F, Round>(row, weights, reach, count, out);
  };
  switch (r) {
    case 1:
      return with(std::integral_constant<int, 1>{});
    case 2:
      return with(std::integral_constant<int, 2>{});
    case 3:
      return with(std::integral_constant<int, 3>{});
    case 4:
      return with(std::integral_constant<int, 4>{});
    case 5:
      return with(std::integral_constant<int, 5>{});
    case 6:
      return with(std::integral_constant<int, 6>{});
    default:
      symmetric_row<F, Round>(rows, half, r, count, out);
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
                                          {&symmetric<double>, &weighted<double>},
                                          &symmetric<double, float, float>,
                                          &symmetric<double, float, double>};

}  // namespace macareu::cpu
