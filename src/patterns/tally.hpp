// tally: what the pixels of every object add up to: a row of counts, sums and bounds for each of 1..n.
//
// rule.add(row, origin, p, labels, in...) adds pixel p to the row of its object, its place counted from the
// origin. It may read labels beside p.
//
// Laws. What a pixel adds depends on its own values and the labels beside it alone, never on the row. Counts
// and sums are integers that wrap around, bounds are least and greatest: rows are joined in any order with
// the same bits.
//
// A rule may have rows with narrower words for parts of the image, because few fit a GPU's registers:
// the same add() adds to a Rule::part_row<In...>, and rule.widen(part, origin) is the row of its pixels. Law:
// that row is the one of adding the same pixels, if they are one or more, at most part_pixels, and less than
// part_side steps behind the origin along every axis.
//
// A rule of images may look at the labels beside p in one step of its own, for many pixels at once, a bit of
// a word for each: rule.outline(same, border) makes words of what holds beside the pixels, and
// rule.add_outline(row, words, bit) adds what they say of one pixel. All the rest it adds for pixels one
// below another: rule.add_below(column, in...) adds the next one to a Rule::column_row<In...>, and
// rule.part_of(column, origin, p) is the part row of its pixels, which end above p. Law: that is the row of
// add() for the same pixels, with the `same` and `border` of their object.
// For pixels side by side in a row: rule.add_run(row, origin, p, count, in...) adds all the rest of p, p + 1,
// ..., and rule.add_outlines(row, words, pixels) is add_outline() of those whose bits are set.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

__extension__ typedef unsigned __int128 wide_sum;  // of signed values too: as two's complement
__extension__ typedef __int128 signed_wide_sum;

inline constexpr std::int64_t part_side = 64, part_pixels = part_side * part_side;

template <std::size_t Counts, std::size_t Sums, std::size_t Bounds, class Count = std::uint64_t,
          class Sum = wide_sum, class Bound = std::int64_t>
struct tally_row {
  using count_word = Count;
  using sum_word = Sum;
  using bound_word = Bound;

  std::array<Count, Counts> count{};
  std::array<Sum, Sums> sum{};
  std::array<Bound, Bounds> least, most;

  MACAREU_HD tally_row() {
    for (auto& bound : least) bound = std::numeric_limits<Bound>::max();
    for (auto& bound : most) bound = std::numeric_limits<Bound>::min();
  }

  MACAREU_HD void stretch(std::size_t bound, Bound value) {
    if (value < least[bound]) least[bound] = value;
    if (value > most[bound]) most[bound] = value;
  }
  MACAREU_HD void join(const tally_row& other) {
    for (std::size_t i = 0; i < Counts; ++i) count[i] += other.count[i];
    for (std::size_t i = 0; i < Sums; ++i) sum[i] += other.sum[i];
    for (std::size_t i = 0; i < Bounds; ++i) {
      if (other.least[i] < least[i]) least[i] = other.least[i];
      if (other.most[i] > most[i]) most[i] = other.most[i];
    }
  }
  bool operator==(const tally_row&) const = default;
};

/// What holds of the pixels beside some pixels of an image.
template <class Word>
struct beside {
  Word nw, n, ne, w, e, sw, s, se;
};

template <class Rule, class Label, class... In>
concept tally_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, typename Rule::row row, site p, const view<const Label>& labels,
             const In&... in) {
  rule.add(row, p, p, labels, in...);
};

template <class Rule, class Label, class... In>
concept has_part_rows = requires(const Rule rule, typename Rule::template part_row<In...> part, site p,
                                 const view<const Label>& labels, const In&... in) {
  rule.add(part, p, p, labels, in...);
  { rule.widen(part, p) } -> std::same_as<typename Rule::row>;
};

/// `same`: the pixel there is of the same object; `border`: it has a neighbour along an axis that is not of
/// its own object.
template <class Rule, class Label, class... In>
concept has_outline = has_part_rows<Rule, Label, In...> &&
    requires(const Rule rule, typename Rule::template column_row<In...> column, site p,
             const beside<std::uint32_t>& words, const In&... in) {
  rule.add_below(column, in...);
  rule.add_outline(column, rule.outline(words, words), 0);
  { rule.part_of(column, p, p) } -> std::same_as<typename Rule::template part_row<In...>>;
};

template <class Rule, class Label, class... In>
concept has_runs = has_outline<Rule, Label, In...> &&
    requires(const Rule rule, typename Rule::row row, site p, const beside<std::uint64_t>& words,
             const view<const In>&... in) {
  rule.add_run(row, p, p, std::int64_t{1}, in...);
  rule.add_outlines(row, rule.outline(words, words), std::uint64_t{1});
};

}  // namespace macareu
