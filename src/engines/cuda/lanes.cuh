// Several values side by side as rules see them (core/wide.hpp): registers of one thread.
#pragma once

#include "core/wide.hpp"

namespace macareu::cuda {

template <class T, int N>
struct lanes {
  T value[N];
};

template <class T, int N, class Each>
__device__ inline lanes<T, N> for_lanes(Each&& each) {
  lanes<T, N> result;
#pragma unroll
  for (int i = 0; i < N; ++i) result.value[i] = static_cast<T>(each(i));
  return result;
}

template <class T, int N>
__device__ inline lanes<T, N> operator+(const lanes<T, N>& a, const lanes<T, N>& b) {
  return for_lanes<T, N>([&](int i) { return a.value[i] + b.value[i]; });
}
template <class T, int N>
__device__ inline lanes<T, N> operator-(const lanes<T, N>& a, const lanes<T, N>& b) {
  return for_lanes<T, N>([&](int i) { return a.value[i] - b.value[i]; });
}
template <class T, int N>
__device__ inline lanes<T, N> operator*(const lanes<T, N>& a, const lanes<T, N>& b) {
  return for_lanes<T, N>([&](int i) { return a.value[i] * b.value[i]; });
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
template <class T, int N>
__device__ inline lanes<T, N> root(const lanes<T, N>& a) {
  return for_lanes<T, N>([&](int i) { return macareu::root(a.value[i]); });
}

}  // namespace macareu::cuda
