// Comparisons of the pixels of a label image with their neighbours, row by row, one bit per pixel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/bit_rows.hpp"
#include "patterns/tally.hpp"

namespace macareu::cpu {

/// Pixels outside the image differ from every label.
template <class Label>
class outline_rows {
 public:
  /// Starts at row `first`.
  outline_rows(const view<const Label>& labels, std::int64_t first)
      : labels_(labels),
        words_(ceil_div(labels.width, word_bits)),
        compared_(first - 1),
        bordered_(first - 1),
        memory_(static_cast<std::size_t>(rows * planes * pitch() + 1)) {}

  /// Moves to the next row, or to one further down.
  void go_to(std::int64_t y) {
    y_ = y;
    for (; compared_ <= y + 2; ++compared_) compare(compared_);
    for (; bordered_ <= y + 1; ++bordered_)
      for (std::int64_t i = 0; i < words_; ++i) {
        const auto same = same_beside(bordered_, i);
        plane(border, bordered_)[i] = ~(same.n & same.w & same.e & same.s);
      }
  }

  /// visit(begin, end) for the runs of one label in the row.
  template <class Visit>
  void over_runs(Visit&& visit) const {
    const bit_word* const goes_on = plane(to_right, y_);
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < words_; ++i) {
      const auto pixels = std::min(word_bits, labels_.width - i * word_bits);
      for (bit_word ends = ~goes_on[i] & ~bit_word{0} >> (word_bits - pixels); ends != 0; ends &= ends - 1) {
        const auto end = i * word_bits + std::countr_zero(ends) + 1;
        visit(begin, end);
        begin = end;
      }
    }
  }

  /// Word i of the row: whether the neighbours have the same label.
  beside<bit_word> same_beside(std::int64_t i) const { return same_beside(y_, i); }
  /// Whether the neighbours are border pixels: with an axis neighbour of a different label.
  beside<bit_word> border_beside(std::int64_t i) const {
    const bit_word *const n = plane(border, y_ - 1) + i, *const here = plane(border, y_) + i,
                          *const s = plane(border, y_ + 1) + i;
    return {.nw = before(n),
            .n = *n,
            .ne = after(n),
            .w = before(here),
            .e = after(here),
            .sw = before(s),
            .s = *s,
            .se = after(s)};
  }

 private:
  static constexpr std::int64_t rows = 4;  // the row above to two below

  /// Each pair is compared once. The bit lies in the row of the lower pixel and the column of the left one.
  enum plane_of { to_right, down, to_lower_right, to_lower_left, border, planes };

  /// Every plane has a word of zeros before and after it.
  std::int64_t pitch() const { return words_ + 1; }
  std::int64_t place(plane_of what, std::int64_t y) const {
    return ((y & (rows - 1)) * planes + what) * pitch() + 1;
  }
  bit_word* plane(plane_of what, std::int64_t y) { return memory_.data() + place(what, y); }
  const bit_word* plane(plane_of what, std::int64_t y) const { return memory_.data() + place(what, y); }

  /// The bits of the left and of the right neighbours.
  static bit_word before(const bit_word* word) { return word[0] << 1 | word[-1] >> 63; }
  static bit_word after(const bit_word* word) { return word[0] >> 1 | word[1] << 63; }

  beside<bit_word> same_beside(std::int64_t y, std::int64_t i) const {
    return {.nw = before(plane(to_lower_right, y) + i),
            .n = plane(down, y)[i],
            .ne = plane(to_lower_left, y)[i],
            .w = before(plane(to_right, y) + i),
            .e = plane(to_right, y)[i],
            .sw = before(plane(to_lower_left, y + 1) + i),
            .s = plane(down, y + 1)[i],
            .se = plane(to_lower_right, y + 1)[i]};
  }

  void compare(std::int64_t y) {
    if (y <= 0 || y >= labels_.height) std::fill(plane(to_right, y), plane(border, y), bit_word{0});
    if (y < 0 || y >= labels_.height) return;
    const auto step = labels_.step_x;
    const auto pack_equal = [&](plane_of what, const Label* a, const Label* b, std::int64_t count) {
      bit_word* const bits = plane(what, y);
      bits[words_ - 1] = 0;
      if (step == 1)
        pack_row(count, bits, [=](std::int64_t x) { return a[x] == b[x]; });
      else
        pack_row(count, bits, [=](std::int64_t x) { return a[x * step] == b[x * step]; });
    };
    const Label* const row = labels_.at(0, y);
    pack_equal(to_right, row, row + step, labels_.width - 1);
    if (y == 0) return;
    const Label* const upper = labels_.at(0, y - 1);
    pack_equal(down, upper, row, labels_.width);
    pack_equal(to_lower_right, upper, row + step, labels_.width - 1);
    pack_equal(to_lower_left, upper + step, row, labels_.width - 1);
  }

  view<const Label> labels_;
  std::int64_t words_, compared_, bordered_, y_ = 0;
  std::vector<bit_word> memory_;
};

}  // namespace macareu::cpu
