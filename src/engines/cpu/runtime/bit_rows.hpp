// Rows of pixels as bits, 64 to a word.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace macareu::cpu {

using bit_word = std::uint64_t;
inline constexpr std::int64_t word_bits = 64;

/// Packs 64 bytes of 0 and 1 to bits, the first byte to the lowest bit.
inline bit_word pack(const std::uint8_t* bytes) {
#if defined(__AVX512BW__)
  const __m512i all = _mm512_loadu_si512(bytes);
  return _mm512_test_epi8_mask(all, all);
#elif defined(__SSE2__)
  bit_word bits = 0;
  for (int i = 0; i < 4; ++i) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * i));
    bits |= bit_word(_mm_movemask_epi8(_mm_slli_epi16(some, 7)) & 0xffff) << 16 * i;
  }
  return bits;
#else
  bit_word bits = 0;
  for (int i = 0; i < 8; ++i) {
    bit_word eight;
    std::memcpy(&eight, bytes + 8 * i, 8);
    if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
    bits |= eight << i;
  }
  // Byte j holds the pixels 8 i + j: transpose the 8 x 8 matrix of bits.
  const auto swap = [&](int apart, bit_word which) {
    const bit_word differ = (bits ^ bits >> apart) & which;
    bits ^= differ ^ differ << apart;
  };
  swap(7, 0x00aa00aa00aa00aa);
  swap(14, 0x0000cccc0000cccc);
  swap(28, 0x00000000f0f0f0f0);
  return bits;
#endif
}

/// Unpacks bits to 64 bytes of 0 and 1.
inline void unpack(bit_word bits, std::uint8_t* bytes) {
#if defined(__AVX512BW__)
  _mm512_storeu_si512(bytes, _mm512_maskz_set1_epi8(bits, 1));
#else
  for (int i = 0; i < 8; ++i) {
    constexpr bit_word ones = 0x0101010101010101;
    const bit_word each = (bits >> 8 * i & 0xff) * ones & 0x8040201008040201;
    bit_word eight = (each + 0x7f * ones) >> 7 & ones;
    if constexpr (std::endian::native == std::endian::big) eight = __builtin_bswap64(eight);
    std::memcpy(bytes + 8 * i, &eight, 8);
  }
#endif
}

/// bits[x] = holds(x) for pixels 0 .. width - 1. The rest of the last word is 0.
template <class Holds>
void pack_row(std::int64_t width, bit_word* bits, Holds&& holds) {
  alignas(64) std::uint8_t bytes[word_bits];
  std::int64_t x = 0;
  for (; x + word_bits <= width; x += word_bits) {
    for (std::int64_t i = 0; i < word_bits; ++i) bytes[i] = static_cast<std::uint8_t>(holds(x + i));
    *bits++ = pack(bytes);
  }
  if (x == width) return;
  std::fill_n(bytes, word_bits, std::uint8_t{0});
  for (std::int64_t i = 0; x + i < width; ++i) bytes[i] = static_cast<std::uint8_t>(holds(x + i));
  *bits = pack(bytes);
}

}  // namespace macareu::cpu
