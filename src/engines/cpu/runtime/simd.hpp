// Vectors for kernels that are compiled once per instruction set, with compiler vector extensions. Everything
// has internal linkage. Otherwise the linker could merge a function into the code for older processors, which
// would crash there.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace macareu::cpu {
namespace {

#if defined(__AVX512BW__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class Key>
struct simd {
  static constexpr int lanes = vector_bytes / sizeof(Key);
  typedef Key type __attribute__((vector_size(vector_bytes)));
  typedef std::uint64_t words __attribute__((vector_size(vector_bytes)));
};
template <class Key>
using vec = typename simd<Key>::type;

template <class Key>
[[gnu::always_inline]] inline vec<Key> load(const Key* from) {
  vec<Key> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Key>
[[gnu::always_inline]] inline void store(Key* to, vec<Key> v) {
  std::memcpy(to, &v, sizeof v);
}
template <class V>
[[gnu::always_inline]] inline V min(V a, V b) {
  return a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V max(V a, V b) {
  return a > b ? a : b;
}
template <class Key>
[[gnu::always_inline]] inline bool any(vec<Key> v) {
#if defined(__AVX512BW__)
  return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)v, (__m256i)v);
#else
  const auto words = (typename simd<Key>::words)v;
  return (words[0] | words[1]) != 0;
#endif
}

template <class Key>
[[gnu::always_inline]] inline vec<Key> all_lanes(Key value) {
  return value - vec<Key>{};  // compiles to nothing, for floats too; value + 0 does not, because of -0
}

}  // namespace
}  // namespace macareu::cpu
