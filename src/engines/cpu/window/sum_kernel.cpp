// Compiled once per instruction set (engines/cpu/runtime/simd.hpp). The sums of a block of pixels stay in
// registers across all rows.
#include <type_traits>

#ifdef __aarch64__
#include <arm_neon.h>
#endif

#include "engines/cpu/runtime/simd.hpp"
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

/// To f32 and back. The intrinsic is needed because g++ 12 widens lane by lane.
[[gnu::always_inline]] inline vec<double> rounded_to_f32(vec<double> value) {
  const half_vector rounded = __builtin_convertvector(value, half_vector);
#ifdef __aarch64__
  return vcvt_f64_f32(rounded);
#else
  return __builtin_convertvector(rounded, vec<double>);
#endif
}

template <class Round, class Out, class F>
[[gnu::always_inline]] inline void give_rounded(Out* to, vec<F> sum) {
  if constexpr (!std::is_same_v<Round, F> && std::is_same_v<Out, F>) sum = rounded_to_f32(sum);
  give(to, sum);
}

/// The values on both sides of the middle.
template <bool Odd, class V>
[[gnu::always_inline]] inline V joined(V before, V after) {
  return Odd ? after - before : before + after;
}

/// Rounds to Round and writes Out. `from[k]` is row k. A constant `reach` unrolls the loop.
template <class F, class Round, class Out, int Parts, bool Odd = false, class From, class Reach>
[[gnu::always_inline]] inline void symmetric_block(const From& from, const F* half, Reach reach,
                                                   std::int64_t i, Out* out) {
  constexpr int lanes = simd<F>::lanes;
  const int r = reach;
  vec<F> sum[Parts];
  for (int p = 0; p < Parts; ++p) sum[p] = load(from[r] + i + p * lanes) * half[0];
  for (int k = r; k > 0; --k) {
    const F* const before = from[r - k] + i;
    const F* const after = from[r + k] + i;
    for (int p = 0; p < Parts; ++p)
      sum[p] += joined<Odd>(load(before + p * lanes), load(after + p * lanes)) * half[k];
  }
  for (int p = 0; p < Parts; ++p) give_rounded<Round, Out, F>(out + i + p * lanes, sum[p]);
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

template <class F, class Round, class Out, bool Odd = false, class From, class Reach>
[[gnu::always_inline]] inline void symmetric_rest(const From& from, const F* half, Reach reach,
                                                  std::int64_t i, std::int64_t count, Out* out) {
  constexpr int lanes = simd<F>::lanes;
  const int r = reach;
  for (; i + lanes <= count; i += lanes) symmetric_block<F, Round, Out, 1, Odd>(from, half, reach, i, out);
  for (; i < count; ++i) {
    F sum = from[r][i] * half[0];
    for (int k = r; k > 0; --k) sum += joined<Odd>(from[r - k][i], from[r + k][i]) * half[k];
    out[i] = static_cast<Out>(static_cast<Round>(sum));
  }
}

template <class F, class Round, class Out, bool Odd = false, class From, class Reach>
[[gnu::always_inline]] inline void symmetric_row(const From& from, const F* half, Reach reach,
                                                 std::int64_t count, Out* out) {
  constexpr int block = parts * simd<F>::lanes;
  std::int64_t i = 0;
  for (; i + block <= count; i += block)
    symmetric_block<F, Round, Out, parts, Odd>(from, half, reach, i, out);
  symmetric_rest<F, Round, Out, Odd>(from, half, reach, i, count, out);
}

/// visit(r as a constant, weights) for common r: a local copy of the weights cannot alias stores and stays in
/// registers. Other r are passed as they are.
template <class F, class Visit>
[[gnu::always_inline]] inline void with_reach(const F* half, int r, const Visit& visit) {
  const auto with = [&]<int Reach>(std::integral_constant<int, Reach> reach) {
    F weights[Reach + 1];
    for (int k = 0; k <= Reach; ++k) weights[k] = half[k];
    visit(reach, weights);
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
      visit(r, half);
  }
}

/// A local copy of the row pointers where `reach` is a constant, else the given ones.
template <int More, class F, class Reach>
[[gnu::always_inline]] inline auto own_rows(const F* const* rows, Reach) {
  if constexpr (std::is_same_v<Reach, int>) {
    return rows;
  } else {
    struct {
      const F* row[2 * Reach::value + 1 + More];
      const F* operator[](int k) const { return row[k]; }
    } own;
    for (int k = 0; k < 2 * Reach::value + 1 + More; ++k) own.row[k] = rows[k];
    return own;
  }
}

template <class F, class Round = F, class Out = F>
void symmetric(const F* const* rows, const F* half, int r, std::int64_t count, Out* out) {
  with_reach(half, r, [=](auto reach, const F* weights) {
    const auto own = own_rows<0>(rows, reach);
    symmetric_row<F, Round>(own, weights, reach, count, out);
  });
}

/// The sums of a row and of the next one.
template <class Round>
void two_symmetric(const double* const* rows, const double* half, int r, std::int64_t count, double* one,
                   double* next) {
  constexpr int lanes = simd<double>::lanes, columns = 2;
  with_reach(half, r, [=](auto reach, const double* weights) {
    const auto own = own_rows<1>(rows, reach);
    const int middle = reach;
    std::int64_t i = 0;
    for (; i + columns * lanes <= count; i += columns * lanes) {
      vec<double> first[columns], second[columns];
      const auto at = [&](int k, int p) { return load(own[k] + i + p * lanes); };
      for (int p = 0; p < columns; ++p) {
        first[p] = at(middle, p) * weights[0];
        second[p] = at(middle + 1, p) * weights[0];
      }
      for (int k = middle; k > 0; --k)
        for (int p = 0; p < columns; ++p) {
          first[p] += (at(middle - k, p) + at(middle + k, p)) * weights[k];
          second[p] += (at(middle - k + 1, p) + at(middle + k + 1, p)) * weights[k];
        }
      for (int p = 0; p < columns; ++p) {
        give_rounded<Round, double, double>(one + i + p * lanes, first[p]);
        give_rounded<Round, double, double>(next + i + p * lanes, second[p]);
      }
    }
    symmetric_rest<double, Round>(own, weights, reach, i, count, one);
    struct {
      decltype(own) rows;
      const double* operator[](int k) const { return rows[k + 1]; }
    } const later{own};
    symmetric_rest<double, Round>(later, weights, reach, i, count, next);
  });
}

/// A row and where it goes on.
template <class F>
struct shifted_row {
  const F* row;
  const F* operator[](int k) const { return row + k; }
};

template <class F, class Value = F>
void along(const F* row, const F* half, int r, std::int64_t count, Value* out) {
  with_reach(half, r, [=](auto reach, const F* weights) {
    symmetric_row<F, Value>(shifted_row<F>{row}, weights, reach, count, out);
  });
}

/// Derivatives are rare, so no reach is a constant.
template <class F>
void odd(const F* const* rows, const F* half, int r, std::int64_t count, F* out) {
  symmetric_row<F, F, F, true>(rows, half, r, count, out);
}
template <class F>
void odd_along(const F* row, const F* half, int r, std::int64_t count, F* out) {
  symmetric_row<F, F, F, true>(shifted_row<F>{row}, half, r, count, out);
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

const all_sum_kernels own_sum_kernels{
    {&symmetric<float>, &along<float>, &weighted<float>},
    {&symmetric<double>, &along<double>, &weighted<double>},
    {&symmetric<double, float, double>, &two_symmetric<float>, &along<double, float>},
    {&symmetric<double>, &two_symmetric<double>, &along<double>},
    {&odd<float>, &odd_along<float>},
    {&odd<double>, &odd_along<double>}};

}  // namespace macareu::cpu
