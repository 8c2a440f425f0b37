// A strip of an image, processed row by row through the stages of edge detection in thread-private memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/ceil_div.hpp"
#include "core/wide.hpp"
#include "engines/cpu/edges/mark_rows.hpp"
#include "engines/cpu/edges/smooth_rows.hpp"

namespace macareu::cpu {

/// A ring buffer of the last rows of a strip, with a halo on both sides. Rows is a power of 2. A count of 0
/// allocates nothing.
template <class Value, std::int64_t Rows>
class row_ring {
 public:
  explicit row_ring(std::int64_t count)
      : pitch_(count + word_bits), memory_(static_cast<std::size_t>(count > 0 ? Rows * pitch_ : 0)) {}
  Value* operator[](std::int64_t y) { return memory_.data() + (y & (Rows - 1)) * pitch_; }

 private:
  std::int64_t pitch_;
  std::vector<Value> memory_;
};

/// Computes smoothed rows on demand. Derived values are computed for whole rows, or for words of 64 pixels
/// where marks need them. Flat regions need none. Derived values that are strengths are drafted for whole
/// rows, and exact for words that need it.
template <class Rule, class Load>
class edge_strip {
 public:
  using value = typename Rule::value;

  edge_strip(const Rule& rule, const smoothing& how, std::int64_t height, std::int64_t width,
             std::int64_t first, std::int64_t count, std::int64_t top, bool whole_rows, const Load& load)
      : rule_(rule),
        whole_rows_(whole_rows || !may_draft(rule)),
        height_(height),
        width_(width),
        first_(first),
        count_(count),
        from_(std::max<std::int64_t>(first - 2, 0)),
        smoothed_(std::max<std::int64_t>(top - 2, 0)),
        opened_(std::max<std::int64_t>(top - 1, 0)),
        source_(how, height, width, from_, std::min(first + count + 2, width) - from_, smoothed_, load),
        smooth_(count + 4),
        derived_(count + 2),
        slopes_{slope_ring(slope_pixels(count)), slope_ring(slope_pixels(count))},
        made_(static_cast<std::size_t>(whole_rows_ ? 0 : last_rows * (words() + 2))) {}

  /// The next row: mark(smooth rows, derived rows, slopes). Derived pixels are valid after need().
  template <class Mark>
  void row(std::int64_t y, const Mark& mark) {
    for (; smoothed_ <= std::min(y + 2, height_ - 1); ++smoothed_) {
      value* const row = smooth_[smoothed_] + (from_ - (first_ - 2));
      source_.write(row);
      repeat_ends(smooth_[smoothed_], 2);
      if constexpr (Rule::drafts)
        if (!whole_rows_) most_ = greater(most_, largest_size(row, source_.count()));
    }
    for (; opened_ <= std::min(y + 1, height_ - 1); ++opened_)
      if (whole_rows_) {
        make_row(opened_, precision::exact);
      } else if (Rule::strength_is_derived) {
        make_row(opened_, precision::draft);
        std::ranges::fill(made_of(opened_), precision::draft);
      } else {
        std::ranges::fill(made_of(opened_), precision::none);
      }
    mark(around(smooth_, y, 2), around(derived_, y, 1), slopes_from(y, 0));
  }

  /// Derives what the levels of a word in row y read. `before` and `after`: its end pixels also read the
  /// words beside it. Returns a bound on the error; drafts of strengths have one of their own.
  value need(std::int64_t y, std::int64_t word, bool before, bool after, precision how) {
    if (whole_rows_) return 0;
    if (Rule::strength_is_derived && how == precision::draft) return 1;
    constexpr int beside = Rule::strength_is_derived ? 1 : 0;  // others read along the axes only
    for (int dy = -1; dy <= 1; ++dy) {
      const auto row = std::clamp<std::int64_t>(y + dy, 0, height_ - 1);
      make(row, word, how);
      if (before && std::abs(dy) <= beside) make(row, word - 1, how);
      if (after && std::abs(dy) <= beside) make(row, word + 1, how);
    }
    if constexpr (Rule::drafts)
      if (how == precision::draft) return rule_.draft_error(most_, bends_);
    return 0;
  }

 private:
  static constexpr std::int64_t last_rows = 8;  // 5 are needed
  using ring = row_ring<value, last_rows>;
  using slope_ring = row_ring<value, 4>;  // of the current row and those beside it

  static bool may_draft([[maybe_unused]] const Rule& rule) {
    if constexpr (Rule::strength_is_derived)
      return rule.drafts_hold();
    else
      return true;
  }

  static std::int64_t slope_pixels(std::int64_t count) { return Rule::strength_is_derived ? count + 2 : 0; }
  slope_rows<value> slopes_from(std::int64_t y, std::int64_t x) {
    if constexpr (Rule::strength_is_derived)
      return {{slopes_[0][y] + 1 + x, slopes_[1][y] + 1 + x}};
    else
      return {};
  }
  std::int64_t words() const { return ceil_div(count_, word_bits); }
  std::span<precision> made_of(std::int64_t y) {
    const auto size = static_cast<std::size_t>(words() + 2);
    return std::span(made_).subspan(static_cast<std::size_t>(y & (last_rows - 1)) * size, size);
  }

  /// Words -1 and words() are the one-pixel halo beside the strip.
  void make(std::int64_t y, std::int64_t word, precision how) {
    auto& made = made_of(y)[static_cast<std::size_t>(word + 1)];
    if (made >= how) return;
    made = how;
    const auto begin = word < 0 ? -1 : std::min(word * word_bits, count_);
    const auto end = word < 0 ? 0 : word == words() ? count_ + 1 : std::min(begin + word_bits, count_);
    if (first_ + begin < 0 || first_ + begin >= width_) {  // as at the nearest pixel inside
      make(y, word < 0 ? 0 : word - 1, how);
      value* const row = derived_[y] + 1;
      row[begin] = row[begin < 0 ? 0 : begin - 1];
      return;
    }
    derive(y, begin, end, how);
  }

  void make_row(std::int64_t y, precision how) {
    derive(y, first_ > 0 ? -1 : 0, std::min(count_ + 1, width_ - first_), how);
    repeat_ends(derived_[y], 1);
  }

  void derive(std::int64_t y, std::int64_t begin, std::int64_t end, precision how) {
    auto rows = around(smooth_, y, 2);
    for (auto& row : rows.row[1]) row += begin;
    value* const to = derived_[y] + 1 + begin;
    if constexpr (Rule::drafts)
      if (how == precision::draft) return draft_row(rule_, rows, end - begin, to, bends_);
    if constexpr (Rule::strength_is_derived)
      if (how == precision::draft)
        return draft_strengths(rule_, rows, end - begin, to, slopes_from(y, begin));
    derive_row(rule_, rows, end - begin, to, slopes_from(y, begin));
  }

  /// Fills the halo of `more` pixels outside the image with the first and the last column.
  void repeat_ends(value* row, std::int64_t more) const {
    value* const origin = row - (first_ - more);
    for (auto x = first_ - more; x < 0; ++x) origin[x] = origin[0];
    for (auto x = width_; x < first_ + count_ + more; ++x) origin[x] = origin[width_ - 1];
  }

  rows_around<value> around(ring& of, std::int64_t y, std::int64_t more) const {
    rows_around<value> rows{};
    for (int dy = -1; dy <= 1; ++dy)
      rows.row[1][dy + 1] = of[std::clamp<std::int64_t>(y + dy, 0, height_ - 1)] + more;
    return rows;
  }

  Rule rule_;
  bool whole_rows_;
  std::int64_t height_, width_, first_, count_, from_, smoothed_, opened_;
  smooth_rows<value, Load> source_;
  ring smooth_, derived_;
  slope_ring slopes_[2];
  value most_ = 0, bends_ = 0;   // maxima so far: magnitude, and second differences of drafts
  std::vector<precision> made_;  // precision of each word in `derived_`
};

}  // namespace macareu::cpu
