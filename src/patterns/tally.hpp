// tally: adds up the pixels of every object, into a row of counts, sums and bounds for each of 1..n.
//
// rule.add(row, p, near, in...) adds pixel p of the whole image to the row of its object. near has the labels
// beside it.
//
// Laws. What a pixel adds depends on its own values and neighbouring labels alone, never on the row. Counts
// and sums are integers that wrap around, bounds are minima and maxima. Rows can be joined in any order with
// the same bits.
//
// Optional forms of add() are the concepts below, with their laws.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

__extension__ typedef unsigned __int128 wide_sum;  // holds signed values as two's complement
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

/// The rows of an image, or slices of a volume, that are tallied. The others are there because rules look
/// beside their pixels.
struct tally_band {
  std::int64_t first, count;
};

/// Labels beside a pixel.
template <class Label>
struct labels_beside {
  const view<const Label>& part;
  site p;  // in the part

  /// Passes is_same(dz, dy, dx) to `look`: whether that pixel has p's label. None outside the image has it.
  /// Skips the bounds check if p is at least `reach` away from the end of the part.
  template <int Rank, class Look>
  MACAREU_HD void look_around(std::int64_t reach, Look&& look) const {
    const Label* const here = &part[p];
    const Label label = *here;
    const bool deep = p.x >= reach && p.y >= reach && p.x + reach < part.width && p.y + reach < part.height &&
                      (Rank == 2 || (p.z >= reach && p.z + reach < part.depth));
    if (deep)
      look([&](int dz, int dy, int dx) {
        return here[dz * part.step_z + dy * part.step_y + dx * part.step_x] == label;
      });
    else
      look([&](int dz, int dy, int dx) {
        const site q{p.z + dz, p.y + dy, p.x + dx};
        return part.contains(q) && part[q] == label;
      });
  }
};

/// Pixels of some images along a row, from `first` on in their part.
template <class... In>
class row_of_pixels {
 public:
  explicit row_of_pixels(site first, const view<const In>&... part) : first_(first), parts_(part...) {}

  /// visit(i, values...) for `count` of them from `begin` on, where i starts at 0.
  template <class Visit>
  void over(std::int64_t begin, std::int64_t count, Visit&& visit) const {
    std::apply(
        [&](const auto&... part) {
          over_row({first_.z, first_.y, first_.x + begin}, count, visit, part...);
        },
        parts_);
  }

 private:
  site first_;
  std::tuple<const view<const In>&...> parts_;
};

/// A property of the neighbours of some pixels of an image, one bit per pixel.
template <class Word>
struct beside {
  Word nw, n, ne, w, e, sw, s, se;
};

template <class Rule, class Label, class... In>
concept tally_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, typename Rule::row row, site p, const labels_beside<Label>& near,
             const In&... in) {
  rule.add(row, p, near, in...);
};

/// Narrower rows for parts of an image: add() also takes a Rule::part_row<In...>, with sites relative to an
/// origin, and widen(part, origin) converts it to a row. Law: that row equals adding the same pixels
/// directly, for 1 to part_pixels pixels less than part_side steps behind the origin along every axis.
template <class Rule, class Label, class... In>
concept has_part_rows = requires(const Rule rule, typename Rule::template part_row<In...> part, site p,
                                 const labels_beside<Label>& near, const In&... in) {
  rule.add(part, p, near, in...);
  { rule.widen(part, p) } -> std::same_as<typename Rule::row>;
};

/// Neighbouring labels of many pixels at once, one bit each: outline(same, border) computes words from the
/// neighbours, and add_outline(row, words, bit) adds the bits of one pixel. add_below(column, in...) adds all
/// but the outline of the next pixel below. part_of(column, p) is the part row of the column's pixels, which
/// end above p. Law: with the outlines, it equals add() of the same pixels. `same`: the neighbour is of the
/// same object. `border`: the neighbour itself has a neighbour along an axis that belongs to another object.
template <class Rule, class Label, class... In>
concept has_outline = has_part_rows<Rule, Label, In...> &&
    requires(const Rule rule, typename Rule::template column_row<In...> column, site p,
             const beside<std::uint32_t>& words, const In&... in) {
  rule.add_below(column, in...);
  rule.add_outline(column, rule.outline(words, words), 0);
  { rule.part_of(column, p) } -> std::same_as<typename Rule::template part_row<In...>>;
};

/// add_run(row, p, count, pixels) adds all but the outlines of p, p + 1, ... in a row of the image.
/// add_outlines(row, words, pixels) is add_outline() of those whose bits are set.
template <class Rule, class Label, class... In>
concept has_runs = has_outline<Rule, Label, In...> &&
    requires(const Rule rule, typename Rule::row row, site p, const beside<std::uint64_t>& words,
             const row_of_pixels<In...>& pixels) {
  rule.add_run(row, p, std::int64_t{1}, pixels);
  rule.add_outlines(row, rule.outline(words, words), std::uint64_t{1});
};

}  // namespace macareu
