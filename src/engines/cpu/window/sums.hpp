// Weighted sums of rows, with the best instructions of this processor.
#pragma once

#include <cstdint>

namespace macareu::cpu {

template <class F>
struct sum_kernels {
  /// out[i] = rows[r][i] * half[0], then for k = r ... 1 added (rows[r - k][i] + rows[r + k][i]) * half[k].
  void (*symmetric)(const F* const* rows, const F* half, int r, std::int64_t count, F* out);
  /// out[i] = 0, then added weights[j] * rows[j][i] for j = 0, 1, ...
  void (*weighted)(const F* const* rows, const F* weights, int taps, std::int64_t count, F* out);
};

/// Sums in f64 as above, rounded to f32.
template <class Out>
using rounded_sums = void (*)(const double* const* rows, const double* half, int r, std::int64_t count,
                              Out* out);

struct all_sum_kernels {
  sum_kernels<float> f32;
  sum_kernels<double> f64;
  rounded_sums<float> to_f32;
  rounded_sums<double> as_f32;  // and widened again
};

const all_sum_kernels& best_sum_kernels();

template <class F>
const sum_kernels<F>& best_sums() {
  if constexpr (sizeof(F) == sizeof(float))
    return best_sum_kernels().f32;
  else
    return best_sum_kernels().f64;
}

}  // namespace macareu::cpu
