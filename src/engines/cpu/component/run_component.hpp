// The component pattern on the cpu: the rule packs rows to bits, then label_lines labels them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "engines/cpu/component/lines.hpp"
#include "engines/cpu/runtime/bit_rows.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/component.hpp"

namespace macareu::cpu {

template <class Rule, class T>
class component_rows {
 public:
  component_rows(const Rule& rule, const view<const T>& image) : rule_(rule), image_(image) {}

  void pack_inside(std::int64_t z, std::int64_t y, bit_word* bits) const {
    const Rule rule = rule_;
    const T* const row = image_.at(z, y);
    if (image_.step_x == 1)
      pack_row(image_.width, bits, [=](std::int64_t x) { return rule.inside(row[x]); });
    else
      pack_row(image_.width, bits,
               [=, step = image_.step_x](std::int64_t x) { return rule.inside(row[x * step]); });
  }

  /// bits[x]: pixels x and x + 1 have the same class.
  void pack_equal_next(std::int64_t z, std::int64_t y, bit_word* bits) const {
    const Rule rule = rule_;
    const T* const row = image_.at(z, y);
    const auto equal = [rule](T a, T b) { return rule.class_of(a) == rule.class_of(b); };
    if (image_.step_x == 1)
      pack_row(image_.width - 1, bits, [=](std::int64_t x) { return equal(row[x], row[x + 1]); });
    else
      pack_row(image_.width - 1, bits, [=, step = image_.step_x](std::int64_t x) {
        return equal(row[x * step], row[(x + 1) * step]);
      });
  }

  /// Implements match_classes. No branch depends on a pixel.
  std::int64_t keep_matches(std::int64_t row, std::int64_t other, int shift, std::int64_t* places,
                            std::int64_t count) const {
    const T* const a = image_.at(row / image_.height, row % image_.height);
    const T* const b = image_.at(other / image_.height, other % image_.height) + shift * image_.step_x;
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto x = places[i];
      places[kept] = x;
      kept += rule_.class_of(a[x * image_.step_x]) == rule_.class_of(b[x * image_.step_x]);
    }
    return kept;
  }

 private:
  Rule rule_;
  view<const T> image_;
};

/// Finds the first pixels of a line's runs, and counts the runs.
template <class Rows, bool OneClass>
void find_runs(const Rows& rows, bit_lines& lines, std::int64_t line) {
  const auto& shape = lines.shape;
  const auto z = line / shape.lines_y() * shape.gather_z, y = line % shape.lines_y() * shape.gather_y;
  bit_word* const heads = lines.heads_of(line);
  std::fill_n(heads, shape.words(), bit_word{0});
  for (auto slice = z; slice < std::min(z + shape.gather_z, shape.depth); ++slice)
    for (auto row = y; row < std::min(y + shape.gather_y, shape.height); ++row) {
      bit_word* const bits = lines.row(slice, row);
      rows.pack_inside(slice, row, bits);
      for (std::int64_t i = 0; i < shape.words(); ++i) heads[i] |= bits[i];
    }
  std::vector<bit_word> same;
  if constexpr (!OneClass) {
    same.resize(static_cast<std::size_t>(shape.words()));
    rows.pack_equal_next(z, y, same.data());
  }
  std::uint32_t runs = 0;
  bit_word before = 0;  // of the previous word: pixels whose run continues to the right
  for (std::int64_t i = 0; i < shape.words(); ++i) {
    const bit_word bits = heads[i];
    const bit_word goes_on = OneClass ? bits : bits & same[static_cast<std::size_t>(i)];
    heads[i] = bits & ~(goes_on << 1 | before >> 63);
    lines.earlier[static_cast<std::size_t>(line * shape.words() + i)] = runs;
    runs += static_cast<std::uint32_t>(std::popcount(heads[i]));
    before = goes_on;
  }
  lines.first[static_cast<std::size_t>(line)] = runs;
}

template <class Rule, class Label, class T>
std::uint64_t run_component(job& work, const Rule& rule, const neighbourhood& near, const view<Label>& labels,
                            const view<const T>& image) {
  constexpr bool binary = one_class<Rule>;
  const int threads = threads_for(image.pixels(), work.how.threads);
  work.report.threads = std::max(work.report.threads, threads);  // blocks may use fewer threads
  line_shape shape{image.depth, image.height, image.width};
  if (binary && near.reach == near.rank) {
    shape.gather_y = 2;
    shape.gather_z = near.rank == 3 && image.depth > 1 ? 2 : 1;
  }
  bit_lines lines(shape);
  const component_rows<Rule, T> rows(rule, image);
  const auto batch = std::max<std::int64_t>(1, tuning::run_words_claimed / shape.words());
  over_units(work, threads, shape.lines(), batch,
             [&](int, std::int64_t line) { find_runs<decltype(rows), binary>(rows, lines, line); });
  match_classes matches;
  if constexpr (!binary) matches = [&rows](auto... what) { return rows.keep_matches(what...); };
  return label_lines(work, threads, near, lines, matches, labels);
}

}  // namespace macareu::cpu
