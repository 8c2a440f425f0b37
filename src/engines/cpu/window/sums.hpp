// Weighted sums of rows, with the best instruction set of this processor.
#pragma once

#include <cstdint>

namespace macareu::cpu {

template <class F>
struct sum_kernels {
  /// out[i] = rows[r][i] * half[0], then for k = r ... 1 added (rows[r - k][i] + rows[r + k][i]) * half[k].
  void (*symmetric)(const F* const* rows, const F* half, int r, std::int64_t count, F* out);
  /// The same of one row, around row[i + r].
  void (*along)(const F* row, const F* half, int r, std::int64_t count, F* out);
  /// out[i] = 0, then added weights[j] * rows[j][i] for j = 0, 1, ...
  void (*weighted)(const F* const* rows, const F* weights, int taps, std::int64_t count, F* out);
};

/// As `symmetric` and `along`, with differences: (rows[r + k][i] - rows[r - k][i]) * half[k].
template <class F>
struct odd_sum_kernels {
  void (*across)(const F* const* rows, const F* half, int r, std::int64_t count, F* out);
  void (*along)(const F* row, const F* half, int r, std::int64_t count, F* out);
};

/// Symmetric sums in f64, as above, rounded to Value.
template <class Value>
struct smoothing_kernels {
  /// Across rows; the result is widened to f64 again.
  void (*across)(const double* const* rows, const double* half, int r, std::int64_t count, double* out);
  /// Rows 0 ... 2 r to `one`, and rows 1 ... 2 r + 1 to `next`: shared rows are read once.
  void (*two_across)(const double* const* rows, const double* half, int r, std::int64_t count, double* one,
                     double* next);
  /// Along a row, with r values on both sides: out[i] is centred at row[i + r].
  void (*along)(const double* row, const double* half, int r, std::int64_t count, Value* out);
};

struct all_sum_kernels {
  sum_kernels<float> f32;
  sum_kernels<double> f64;
  smoothing_kernels<float> smoothing_f32;
  smoothing_kernels<double> smoothing_f64;
  odd_sum_kernels<float> odd_f32;
  odd_sum_kernels<double> odd_f64;
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const all_sum_kernels own_sum_kernels;
const all_sum_kernels& best_sum_kernels();

template <class F>
const sum_kernels<F>& best_sums() {
  if constexpr (sizeof(F) == sizeof(float))
    return best_sum_kernels().f32;
  else
    return best_sum_kernels().f64;
}

template <class F>
const odd_sum_kernels<F>& best_odd_sums() {
  if constexpr (sizeof(F) == sizeof(float))
    return best_sum_kernels().odd_f32;
  else
    return best_sum_kernels().odd_f64;
}

template <class F>
const smoothing_kernels<F>& best_smoothing() {
  if constexpr (sizeof(F) == sizeof(float))
    return best_sum_kernels().smoothing_f32;
  else
    return best_sum_kernels().smoothing_f64;
}

}  // namespace macareu::cpu
