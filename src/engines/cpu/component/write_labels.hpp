// Labels of one row from its bits and the runs of its line: every pixel is written once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/view.hpp"
#include "engines/cpu/component/lines.hpp"

namespace macareu::cpu {

/// to[x] = bit x ? from[x] : 0
template <class Label>
void write_masked(Label* to, bit_word bits, const Label* from) {
  for (int byte = 0; byte < 8; ++byte) {
    const auto mask = static_cast<std::uint32_t>(bits >> (8 * byte) & 0xff);
    for (int x = 0; x < 8; ++x) to[8 * byte + x] = mask >> x & 1 ? from[8 * byte + x] : 0;
  }
}
template <class Label>
void write_masked(Label* to, bit_word bits, Label label) {
  if (bits == 0 || bits == ~bit_word{0}) {
    std::fill_n(to, word_bits, bits == 0 ? Label{} : label);
    return;
  }
  for (int byte = 0; byte < 8; ++byte) {
    const auto mask = static_cast<std::uint32_t>(bits >> (8 * byte) & 0xff);
    for (int x = 0; x < 8; ++x) to[8 * byte + x] = mask >> x & 1 ? label : 0;
  }
}

/// `number`: of the line's runs, one after the other.
template <class Label>
void write_row(const std::uint32_t* number, const bit_word* heads, const bit_word* bits,
               const view<Label>& labels, std::int64_t z, std::int64_t y) {
  Label* const out = labels.at(z, y);
  Label label{};  // of the run that reaches into the word at hand
  for (std::int64_t x = 0; x < labels.width; x += word_bits) {
    const auto i = x / word_bits;
    const auto count = std::min(word_bits, labels.width - x);
    const bool direct = count == word_bits && labels.step_x == 1;
    Label own[word_bits];
    Label* const to = direct ? out + x : own;
    if (heads[i] == 0) {
      write_masked(to, bits[i], label);
    } else {
      Label from[word_bits];
      std::int64_t filled = 0;
      for (bit_word open = heads[i]; open != 0; open &= open - 1) {
        const auto head = std::countr_zero(open);
        std::fill(from + filled, from + head, label);
        filled = head;
        label = *number++;
      }
      std::fill(from + filled, from + word_bits, label);
      write_masked(to, bits[i], from);
    }
    if (!direct)
      for (std::int64_t k = 0; k < count; ++k) out[(x + k) * labels.step_x] = own[k];
  }
}

}  // namespace macareu::cpu
