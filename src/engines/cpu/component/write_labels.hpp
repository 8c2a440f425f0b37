// Labels of one row from its bits and the runs of its line: every pixel is written once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/view.hpp"
#include "engines/cpu/component/lines.hpp"

namespace macareu::cpu {

/// Runs that begin in a word. With more of them, a loop over pixels is faster than one over runs.
inline constexpr int few_runs = 2;

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

/// Writes the number of each pixel in a word; valid where the pixel is set. `reaching` is the number of the
/// run that enters the word, and on return of the run that leaves it. `to` has room for 4 more numbers.
inline void spread_numbers(bit_word heads, const std::uint32_t*& number, std::uint32_t& reaching,
                           std::uint32_t* to) {
  using quad = number_quad;
  int x = 0;
  for (bit_word open = heads; x < word_bits; open &= open - 1) {
    const int next = open != 0 ? std::countr_zero(open) : static_cast<int>(word_bits);
    const auto same = quad::all(reaching);
    for (; x < next; x += 4) quad::store(to + x, same);  // the next run overwrites the excess
    x = next;
    if (open != 0) reaching = *number++;
  }
}

/// The same for many runs: pixel by pixel, without a branch per run.
inline void spread_many_numbers(bit_word heads, const std::uint32_t*& number, std::uint32_t& reaching,
                                std::uint32_t* to) {
  const std::uint32_t* at = number - 1;
  for (int x = 0; x < word_bits; x += 8, heads >>= 8)
    for (int i = 0; i < 8; ++i) {
      at += heads >> i & 1;
      to[x + i] = *at;
    }
  number = at + 1;
  reaching = *at;
}

/// `number`: of the line's runs, in order. The entry before the first is read, and its value is ignored.
template <class Label>
void write_row(const std::uint32_t* number, const bit_word* heads, const bit_word* bits,
               const view<Label>& labels, std::int64_t z, std::int64_t y) {
  using quad = number_quad;
  Label* const out = labels.at(z, y);
  std::uint32_t reaching = 0;  // of the run that enters the current word
  for (std::int64_t x = 0; x < labels.width; x += word_bits) {
    const auto i = x / word_bits;
    const auto count = std::min(word_bits, labels.width - x);
    const bool direct = count == word_bits && labels.step_x == 1;
    alignas(64) Label own[word_bits];  // aligned: no vector crosses a cache line
    Label* const to = direct ? out + x : own;
    if (heads[i] == 0) {
      const auto same = quad::all(bits[i] != 0 ? reaching : 0);
      write_masked(to, bits[i] != 0 ? bits[i] : ~bit_word{0}, [&](int) { return same; });
    } else {
      alignas(64) std::uint32_t from[word_bits + 4];
      if (std::popcount(heads[i]) > few_runs)
        spread_many_numbers(heads[i], number, reaching, from);
      else
        spread_numbers(heads[i], number, reaching, from);
      write_masked(to, bits[i], [&](int at) { return quad::load(from + at); });
    }
    if (!direct)
      for (std::int64_t k = 0; k < count; ++k) out[(x + k) * labels.step_x] = own[k];
  }
}

}  // namespace macareu::cpu
