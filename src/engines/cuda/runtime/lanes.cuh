// SIMD values of rules (core/wide.hpp) in the registers of one thread.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/wide.hpp"
#include "engines/cuda/line/small_root.cuh"
#include "engines/cuda/runtime/pixels.cuh"

namespace macareu::cuda {

/// The values are integers of at most this magnitude, as sums of small integers are; 0: unknown. A known
/// bound allows a cheaper square root.
using whole_bound = std::int64_t;

template <class T, int N, whole_bound Most = 0>
struct lanes {
  T value[N];
};

/// The bound of a result that is exact in f32; 0 (unknown) otherwise.
constexpr whole_bound exact_bound(bool known, whole_bound most) {
  return known && most <= whole_bound{1} << 24 ? most : 0;
}

/// The bound of pixels of type In, read as values of type F.
template <class F, class In>
constexpr whole_bound bound_of_pixels() {
  if constexpr (std::is_same_v<F, float> && std::is_integral_v<In> && sizeof(In) <= 2)
    return whole_bound{std::numeric_limits<In>::max()} + std::is_signed_v<In>;
  else
    return 0;
}

template <class T, int N, whole_bound Most = 0, class Each>
__device__ inline lanes<T, N, Most> for_lanes(Each&& each) {
  lanes<T, N, Most> result;
#pragma unroll
  for (int i = 0; i < N; ++i) result.value[i] = static_cast<T>(each(i));
  return result;
}

/// Converts a pixel to the rule's type. A byte is inserted into the mantissa of 2^23, which is cheaper than a
/// conversion.
template <class F, class T>
__device__ inline F to_value(T pixel) {
  if constexpr (std::is_same_v<F, float> && std::is_same_v<T, std::uint8_t>)
    return __uint_as_float(0x4b000000u | pixel) - 8388608.0f;
  else
    return static_cast<F>(pixel);
}

template <class F, class T, int N>
__device__ inline lanes<F, N> to_lanes(const pixel_group<T, N>& pixels) {
  if constexpr (std::is_same_v<F, float> && std::is_same_v<T, std::uint8_t> && N == 4) {
    const auto word = std::bit_cast<std::uint32_t>(pixels);
    return for_lanes<F, N>(
        [&](int i) { return __uint_as_float(__byte_perm(word, 0x4b000000u, 0x7440 + i)) - 8388608.0f; });
  } else {
    return for_lanes<F, N>([&](int i) { return to_value<F>(pixels.value[i]); });
  }
}

template <class T, int N, whole_bound A, whole_bound B>
__device__ inline auto operator+(const lanes<T, N, A>& a, const lanes<T, N, B>& b) {
  return for_lanes<T, N, exact_bound(A && B, A + B)>([&](int i) { return a.value[i] + b.value[i]; });
}
template <class T, int N, whole_bound A, whole_bound B>
__device__ inline auto operator-(const lanes<T, N, A>& a, const lanes<T, N, B>& b) {
  return for_lanes<T, N, exact_bound(A && B, A + B)>([&](int i) { return a.value[i] - b.value[i]; });
}
template <class T, int N, whole_bound A, whole_bound B>
__device__ inline auto operator*(const lanes<T, N, A>& a, const lanes<T, N, B>& b) {
  return for_lanes<T, N, exact_bound(A && B, A * B)>([&](int i) { return a.value[i] * b.value[i]; });
}
template <class T, int N>
__device__ inline lanes<T, N> operator*(const lanes<T, N>& a, T b) {
  return for_lanes<T, N>([&](int i) { return a.value[i] * b; });
}
template <class T, int N>
__device__ inline lanes<T, N> operator/(const lanes<T, N>& a, T b) {
  return for_lanes<T, N>([&](int i) { return a.value[i] / b; });
}
template <class T, int N>
__device__ inline lanes<T, N> operator^(const lanes<T, N>& a, T b) {
  return for_lanes<T, N>([&](int i) { return a.value[i] ^ b; });
}

template <class T, int N>
__device__ inline lanes<T, N> lesser(const lanes<T, N>& a, const lanes<T, N>& b) {
  return for_lanes<T, N>([&](int i) { return macareu::lesser(a.value[i], b.value[i]); });
}
template <class T, int N>
__device__ inline lanes<T, N> greater(const lanes<T, N>& a, const lanes<T, N>& b) {
  return for_lanes<T, N>([&](int i) { return macareu::greater(a.value[i], b.value[i]); });
}
template <class T, int N, whole_bound Most>
__device__ inline lanes<T, N> root(const lanes<T, N, Most>& a) {
  return for_lanes<T, N>([&](int i) {
    if constexpr (Most > 0 && Most <= largest_small_square)
      return root_of_small(a.value[i]);
    else
      return macareu::root(a.value[i]);
  });
}
template <class To, class T, int N, whole_bound Most>
__device__ inline lanes<To, N> converted_to(const lanes<T, N, Most>& a) {
  return for_lanes<To, N>([&](int i) { return a.value[i]; });
}

}  // namespace macareu::cuda
