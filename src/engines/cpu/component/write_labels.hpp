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

/// Four labels at once.
template <class Label>
struct label_quad {
  typedef Label type __attribute__((vector_size(4 * sizeof(Label))));

  static type load(const Label* from) {
    type quad;
    std::memcpy(&quad, from, sizeof quad);
    return quad;
  }
  static void store(Label* to, type quad) { std::memcpy(to, &quad, sizeof quad); }
  static type all(Label label) { return type{} + label; }
  /// All ones in the lanes whose bit is set.
  static type mask(bit_word four) { return load(masks[four & 15].data()); }

 private:
  static constexpr auto masks = [] {
    std::array<std::array<Label, 4>, 16> table{};
    for (unsigned bits = 0; bits < 16; ++bits)
      for (unsigned lane = 0; lane < 4; ++lane) table[bits][lane] = bits >> lane & 1 ? ~Label{} : Label{};
    return table;
  }();
};

/// to[x] = bit x ? from(x) : 0, four at a time.
template <class Label, class From>
void write_masked(Label* to, bit_word bits, From&& from) {
  using quad = label_quad<Label>;
  if (bits == ~bit_word{0}) {
    for (int x = 0; x < word_bits; x += 4) quad::store(to + x, from(x));
    return;
  }
  for (int x = 0; x < word_bits; x += 4) quad::store(to + x, from(x) & quad::mask(bits >> x));
}

/// Labels of the pixels of a word in which runs begin, right wherever a pixel is set. `label` is that of the
/// run at the word's beginning, and afterwards at its end. Room for 4 more labels is behind `from`.
template <class Label>
void spread_labels(bit_word heads, const std::uint32_t*& number, Label& label, Label* from) {
  using quad = label_quad<Label>;
  int x = 0;
  for (bit_word open = heads; x < word_bits; open &= open - 1) {
    const int next = open != 0 ? std::countr_zero(open) : static_cast<int>(word_bits);
    const auto same = quad::all(label);
    for (; x < next; x += 4) quad::store(from + x, same);  // beyond `next` the next run overwrites it
    x = next;
    if (open != 0) label = *number++;
  }
}

/// `number`: of the line's runs, one after the other.
template <class Label>
void write_row(const std::uint32_t* number, const bit_word* heads, const bit_word* bits,
               const view<Label>& labels, std::int64_t z, std::int64_t y) {
  using quad = label_quad<Label>;
  Label* const out = labels.at(z, y);
  Label label{};  // of the run that reaches into the word at hand
  for (std::int64_t x = 0; x < labels.width; x += word_bits) {
    const auto i = x / word_bits;
    const auto count = std::min(word_bits, labels.width - x);
    const bool direct = count == word_bits && labels.step_x == 1;
    Label own[word_bits];
    Label* const to = direct ? out + x : own;
    if (heads[i] == 0) {
      const auto same = quad::all(bits[i] != 0 ? label : Label{});
      write_masked(to, bits[i] != 0 ? bits[i] : ~bit_word{0}, [&](int) { return same; });
    } else {
      Label from[word_bits + 4];
      spread_labels(heads[i], number, label, from);
      write_masked(to, bits[i], [&](int at) { return quad::load(from + at); });
    }
    if (!direct)
      for (std::int64_t k = 0; k < count; ++k) out[(x + k) * labels.step_x] = own[k];
  }
}

}  // namespace macareu::cpu
