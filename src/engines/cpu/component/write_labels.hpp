// Labels of one row from its bits and the runs of its line: every pixel is written once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/view.hpp"
#include "engines/cpu/component/lines.hpp"
#include "engines/cpu/tuning.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace macareu::cpu {

#ifdef __AVX2__

/// Eight pixels at a time: which of the numbers beginning at the first pixel's each one has is a row of a
/// table, by the pixels behind the first at which runs begin.
class number_eight {
 public:
  /// The numbers of eight pixels; 0 where `inside` has none.
  static __m256i spread(const std::uint32_t* number, unsigned heads, unsigned inside) {
    const auto* const row = reinterpret_cast<const __m128i*>(places[heads >> 1 & 127].data());
    const __m256i place = _mm256_cvtepu8_epi32(_mm_loadl_epi64(row));
    const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(number));
    return masked(_mm256_permutevar8x32_epi32(numbers, place), inside);
  }
  static __m256i masked(__m256i numbers, unsigned inside) {
#ifdef __AVX512VL__
    return _mm256_maskz_mov_epi32(static_cast<__mmask8>(inside), numbers);
#else
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i holds = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(inside)), bit);
    return _mm256_and_si256(numbers, _mm256_cmpeq_epi32(holds, bit));
#endif
  }
  static void store(std::uint32_t* to, __m256i eight) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), eight);
  }
  static void store(std::uint64_t* to, __m256i eight) {
    const auto half = [&](int i, __m128i four) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), _mm256_cvtepu32_epi64(four));
    };
    half(0, _mm256_castsi256_si128(eight));
    half(4, _mm256_extracti128_si256(eight, 1));
  }

 private:
  alignas(64) static constexpr auto places = [] {
    std::array<std::array<std::uint8_t, 8>, 128> table{};
    for (unsigned heads = 0; heads < 128; ++heads)
      for (unsigned i = 0; i < 8; ++i)
        table[heads][i] = static_cast<std::uint8_t>(std::popcount(heads & ((1U << i) - 1)));
    return table;
  }();
};

/// The labels of 64 pixels. `number` is that of the run behind the one that reaches into the word, and
/// afterwards behind the one at its end.
template <class Label>
void write_word(bit_word heads, bit_word bits, const std::uint32_t*& number, Label* to) {
  using eight = number_eight;
  const std::uint32_t* at = number - 1;
  if (heads == 0) {
    const __m256i same = _mm256_set1_epi32(static_cast<int>(*at));
    for (int x = 0; x < word_bits; x += 8, bits >>= 8)
      eight::store(to + x, eight::masked(same, static_cast<unsigned>(bits & 255)));
    return;
  }
  for (int x = 0; x < word_bits; x += 8, heads >>= 8, bits >>= 8) {
    const auto here = static_cast<unsigned>(heads & 255);
    eight::store(to + x, eight::spread(at + (here & 1), here, static_cast<unsigned>(bits & 255)));
    at += std::popcount(here);
  }
  number = at + 1;
}

#else

/// Four numbers of runs at once.
struct number_quad {
  typedef std::uint32_t type __attribute__((vector_size(16)));

  static type load(const std::uint32_t* from) {
    type quad;
    std::memcpy(&quad, from, sizeof quad);
    return quad;
  }
  static void store(std::uint32_t* to, type quad) { std::memcpy(to, &quad, sizeof quad); }
  static void store(std::uint64_t* to, type quad) {
    typedef std::uint64_t wide __attribute__((vector_size(32)));
    const wide four = __builtin_convertvector(quad, wide);
    std::memcpy(to, &four, sizeof four);
  }
  static type all(std::uint32_t number) { return type{} + number; }
  /// All ones in the lanes whose bit is set.
  static type mask(bit_word four) { return load(masks[four & 15].data()); }

 private:
  alignas(64) static constexpr auto masks = [] {
    std::array<std::array<std::uint32_t, 4>, 16> table{};
    for (unsigned bits = 0; bits < 16; ++bits)
      for (unsigned lane = 0; lane < 4; ++lane) table[bits][lane] = bits >> lane & 1 ? ~0U : 0U;
    return table;
  }();
};

/// to[x] = bit x ? from(x) : 0, four at a time.
template <class Label, class From>
void write_masked(Label* to, bit_word bits, From&& from) {
  using quad = number_quad;
  if (bits == ~bit_word{0}) {
    for (int x = 0; x < word_bits; x += 4) quad::store(to + x, from(x));
    return;
  }
  for (int x = 0; x < word_bits; x += 4) quad::store(to + x, from(x) & quad::mask(bits >> x));
}

/// Numbers of the pixels of a word in which runs begin, right wherever a pixel is set. `number` is as in
/// write_word. Room for 4 more numbers is behind `to`.
inline void spread_numbers(bit_word heads, const std::uint32_t*& number, std::uint32_t* to) {
  using quad = number_quad;
  int x = 0;
  for (bit_word open = heads; x < word_bits; open &= open - 1) {
    const int next = open != 0 ? std::countr_zero(open) : static_cast<int>(word_bits);
    const auto same = quad::all(number[-1]);
    for (; x < next; x += 4) quad::store(to + x, same);  // beyond `next` the next run overwrites it
    x = next;
    number += open != 0;
  }
}

/// The same where many runs begin: pixel by pixel, without a branch for any run.
inline void spread_many_numbers(bit_word heads, const std::uint32_t*& number, std::uint32_t* to) {
  const std::uint32_t* at = number - 1;
  for (int x = 0; x < word_bits; x += 8, heads >>= 8)
    for (int i = 0; i < 8; ++i) {
      at += heads >> i & 1;
      to[x + i] = *at;
    }
  number = at + 1;
}

/// The labels of 64 pixels. `number` is that of the run behind the one that reaches into the word, and
/// afterwards behind the one at its end.
template <class Label>
void write_word(bit_word heads, bit_word bits, const std::uint32_t*& number, Label* to) {
  using quad = number_quad;
  if (heads == 0) {
    const auto same = quad::all(bits != 0 ? number[-1] : 0);
    write_masked(to, bits != 0 ? bits : ~bit_word{0}, [&](int) { return same; });
    return;
  }
  alignas(64) std::uint32_t from[word_bits + 4];
  if (std::popcount(heads) > tuning::few_runs)
    spread_many_numbers(heads, number, from);
  else
    spread_numbers(heads, number, from);
  write_masked(to, bits, [&](int at) { return quad::load(from + at); });
}

#endif

/// `number`: of the line's runs, one after the other. One before the first and seven behind the last are
/// read, and mean nothing.
template <class Label>
void write_row(const std::uint32_t* number, const bit_word* heads, const bit_word* bits,
               const view<Label>& labels, std::int64_t z, std::int64_t y) {
  Label* const out = labels.at(z, y);
  for (std::int64_t x = 0; x < labels.width; x += word_bits) {
    const auto i = x / word_bits;
    const auto count = std::min(word_bits, labels.width - x);
    const bool direct = count == word_bits && labels.step_x == 1;
    alignas(64) Label own[word_bits];  // whatever the stack is: no four of them on two lines of the cache
    write_word(heads[i], bits[i], number, direct ? out + x : own);
    if (!direct)
      for (std::int64_t k = 0; k < count; ++k) out[(x + k) * labels.step_x] = own[k];
  }
}

}  // namespace macareu::cpu
