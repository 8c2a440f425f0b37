// Sums over the pixels of an object, in one pass: everything that object_table.hpp needs.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "operators/objects/measures/intensity_sums.hpp"
#include "operators/objects/measures/object_outline.hpp"
#include "patterns/tally.hpp"

namespace macareu {

/// Rank is 2 or 3; `Intensity`: an intensity image is summed too.
template <int Rank, bool Intensity>
struct object_sums {
  static constexpr int pixels = 0, euler = 1, shape = 2;  // counts; from `shape` on perimeter or crossings
  static constexpr int shapes = Rank == 2 ? 3 : crossing_directions;
  static constexpr int first = 0, second = Rank;  // sums: coordinates, then their products row by row
  static constexpr int products = Rank * (Rank + 1) / 2;
  static constexpr int mass = Rank + products, mass_squared = mass + 1, moment = mass + 2;
  static constexpr int sums = mass + (Intensity ? 2 + Rank : 0), bounds = Rank + (Intensity ? 1 : 0);
  using row = tally_row<2 + shapes, sums, bounds>;
  template <class... In>
  using part_row = tally_row<2 + shapes, sums, bounds, std::uint32_t, typename part_words<In...>::sum,
                             typename part_words<In...>::bound>;

  /// The varying part of a column's pixels. Sums of coordinates follow from its ends.
  template <class... In>
  using column_row = tally_row<2 + shapes, Intensity ? 3 : 0, Intensity ? 1 : 0, std::uint32_t,
                               typename part_words<In...>::sum, typename part_words<In...>::bound>;

  intensity_scale scale;

  template <class Row, class Label, class... In>
  MACAREU_HD void add(Row& to, site p, const labels_beside<Label>& near, const In&... intensity) const {
    add_place(to, p, intensity...);
    add_surroundings(to, near);
  }

  template <class Row, class... In>
  MACAREU_HD void add_place(Row& to, site p, const In&... intensity) const {
    using sum_word = typename Row::sum_word;
    using bound_word = typename Row::bound_word;
    const bound_word all[3]{static_cast<bound_word>(p.z), static_cast<bound_word>(p.y),
                            static_cast<bound_word>(p.x)};
    const bound_word* const at = all + 3 - Rank;
    ++to.count[pixels];
    for (int i = 0, k = second; i < Rank; ++i) {
      to.stretch(static_cast<std::size_t>(i), at[i]);
      to.sum[static_cast<std::size_t>(first + i)] += static_cast<sum_word>(at[i]);
      for (int j = i; j < Rank; ++j) to.sum[static_cast<std::size_t>(k++)] += product<sum_word>(at[i], at[j]);
    }
    if constexpr (Intensity) {
      const std::int64_t steps = scale(intensity...);
      to.stretch(Rank, order_as<bound_word>(intensity...));
      to.sum[mass] += static_cast<sum_word>(static_cast<signed_wide_sum>(steps));
      to.sum[mass_squared] += product<sum_word>(steps, steps);
      for (int i = 0; i < Rank; ++i)
        to.sum[static_cast<std::size_t>(moment + i)] += product<sum_word>(steps, at[i]);
    }
  }

  template <class Row, class... In>
  requires(Rank == 2) MACAREU_HD void add_below(Row& to, const In&... intensity) const {
    using sum_word = typename Row::sum_word;
    const std::uint32_t below = to.count[pixels]++;  // counted from the first
    if constexpr (Intensity) {
      const std::int64_t steps = scale(intensity...);
      to.stretch(0, order_as<typename Row::bound_word>(intensity...));
      to.sum[0] += static_cast<sum_word>(static_cast<signed_wide_sum>(steps));
      to.sum[1] += product<sum_word>(steps, steps);
      to.sum[2] += product<sum_word>(steps, below);
    }
  }

  /// Sums of y and y^2 over n rows from y on: n y + T and n y^2 + 2 y T + Q, where T and Q are the sums of
  /// 0..n-1 and of their squares.
  template <std::size_t Counts, std::size_t Sums, std::size_t Bounds, class Sum, class Bound>
  requires(Rank == 2) MACAREU_HD tally_row<Counts, sums, bounds, std::uint32_t, Sum, Bound> part_of(
      const tally_row<Counts, Sums, Bounds, std::uint32_t, Sum, Bound>& column, site end)
  const {
    tally_row<Counts, sums, bounds, std::uint32_t, Sum, Bound> to;
    to.count = column.count;
    const auto n = static_cast<std::uint32_t>(column.count[pixels]);
    const auto x = static_cast<std::uint32_t>(end.x), y = static_cast<std::uint32_t>(end.y) - n;
    const std::uint32_t triangle = n * (n - 1) / 2, squares = (2 * n - 1) * triangle / 3;
    const std::uint32_t all_y = n * y + triangle;
    const std::uint32_t places[2 + 3]{all_y, n * x, n * y * y + 2 * y * triangle + squares, x * all_y,
                                      n * x * x};
    for (std::size_t i = 0; i < 5; ++i) to.sum[i] = places[i];
    to.least[0] = static_cast<Bound>(y);
    to.most[0] = static_cast<Bound>(y + n - 1);
    to.least[1] = to.most[1] = static_cast<Bound>(x);
    if constexpr (Intensity) {
      to.sum[mass] = column.sum[0];
      to.sum[mass_squared] = column.sum[1];
      to.sum[moment] = column.sum[2] + static_cast<Sum>(y) * column.sum[0];
      to.sum[moment + 1] = static_cast<Sum>(x) * column.sum[0];
      to.least[Rank] = column.least[0];
      to.most[Rank] = column.most[0];
    }
    return to;
  }

  template <class Word>
  requires(Rank == 2) MACAREU_HD
      static image_outline<Word> outline(const beside<Word>& same, const beside<Word>& border) {
    return outline_of(same, border);
  }

  /// Adds the pixel of this bit.
  template <class Row, class Word>
  requires(Rank == 2) MACAREU_HD void add_outline(Row& to, const image_outline<Word>& words, int bit) const {
    using count_word = typename Row::count_word;
    const auto one = [&](Word word) { return static_cast<count_word>(word >> bit & 1); };
    to.count[euler] += one(words.more) - one(words.less);
    to.count[shape] += one(words.straight);
    to.count[shape + 1] += one(words.slanted);
    to.count[shape + 2] += one(words.mixed);
  }

  template <class Word>
  requires(Rank == 2) void add_outlines(row& to, const image_outline<Word>& words, Word which) const {
    const auto count = [&](Word word) { return static_cast<std::uint64_t>(std::popcount(word & which)); };
    to.count[euler] += count(words.more) - count(words.less);
    to.count[shape] += count(words.straight);
    to.count[shape + 1] += count(words.slanted);
    to.count[shape + 2] += count(words.mixed);
  }

  /// Adds `count` pixels from p on along x, from the sums of their distances to p.
  template <class... In>
  requires(Rank == 2) void add_run(row& to, site p, std::int64_t count,
                                   const row_of_pixels<In...>& intensity) const {
    const wide_sum distances = wide_product(count, count - 1) / 2;
    const auto x = static_cast<wide_sum>(p.x), y = static_cast<wide_sum>(p.y),
               n = static_cast<wide_sum>(count);
    const wide_sum along = x * n + distances;
    to.count[pixels] += static_cast<std::uint64_t>(count);
    to.stretch(0, p.y);
    to.stretch(1, p.x);
    to.stretch(1, p.x + count - 1);
    to.sum[first] += y * n;
    to.sum[first + 1] += along;
    to.sum[second] += y * y * n;
    to.sum[second + 1] += y * along;
    to.sum[second + 2] += x * (along + distances) + squares_below(count);
    if constexpr (Intensity) {
      // Intensities of up to 16 bits: sums of 64 bits, in parts that cannot overflow them.
      constexpr bool narrow = ((std::is_integral_v<In> && sizeof(In) <= 2) && ...);
      constexpr auto at_once = narrow ? std::int64_t{1} << 20 : std::numeric_limits<std::int64_t>::max();
      using part_sum = std::conditional_t<narrow, std::int64_t, signed_wide_sum>;
      using order = std::conditional_t<narrow, std::int32_t, std::int64_t>;
      order least = std::numeric_limits<order>::max(), most = ~least;
      wide_sum total = 0;
      for (std::int64_t begin = 0; begin < count; begin += at_once) {
        part_sum part = 0, squares = 0, moments = 0;
        const auto add = [&](std::int64_t i, auto value) {
          const auto steps = scale(value);
          if constexpr (narrow) {
            least = std::min(least, to_short_order(value));
            most = std::max(most, to_short_order(value));
          } else {
            least = std::min(least, to_order(value));
            most = std::max(most, to_order(value));
          }
          part += steps;
          squares += part_sum{steps} * steps;
          moments += part_sum{steps} * i;
        };
        intensity.over(begin, std::min(at_once, count - begin), add);
        total += static_cast<wide_sum>(part);
        to.sum[mass_squared] += static_cast<wide_sum>(squares);
        to.sum[moment + 1] +=
            static_cast<wide_sum>(moments) + static_cast<wide_sum>(begin) * static_cast<wide_sum>(part);
      }
      if constexpr (narrow) {
        to.stretch(Rank, long_order(least));
        to.stretch(Rank, long_order(most));
      } else {
        to.stretch(Rank, least);
        to.stretch(Rank, most);
      }
      to.sum[mass] += total;
      to.sum[moment] += y * total;
      to.sum[moment + 1] += x * total;
    }
  }

  /// Shifts coordinates by the origin, from the sums of the part.
  template <class Part>
  MACAREU_HD row widen(const Part& part, site origin) const {
    const std::int64_t all[3]{origin.z, origin.y, origin.x};
    const std::int64_t* const from = all + 3 - Rank;
    const auto sum = [&](int i) { return widened(part.sum[static_cast<std::size_t>(i)]); };
    const auto times = [](std::int64_t a, wide_sum b) { return static_cast<wide_sum>(a) * b; };
    const wide_sum count = part.count[pixels];
    row to;
    for (std::size_t i = 0; i < 2 + shapes; ++i)
      to.count[i] = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(part.count[i])});
    for (int i = 0, k = second; i < Rank; ++i) {
      const auto at = static_cast<std::size_t>(i);
      to.least[at] = part.least[at] + from[i];
      to.most[at] = part.most[at] + from[i];
      to.sum[static_cast<std::size_t>(first + i)] = sum(first + i) + times(from[i], count);
      for (int j = i; j < Rank; ++j, ++k)
        to.sum[static_cast<std::size_t>(k)] = sum(k) + times(from[i], sum(first + j)) +
                                              times(from[j], sum(first + i)) +
                                              times(from[i], times(from[j], count));
      if constexpr (Intensity)
        to.sum[static_cast<std::size_t>(moment + i)] = sum(moment + i) + times(from[i], sum(mass));
    }
    if constexpr (Intensity) {
      to.sum[mass] = sum(mass);
      to.sum[mass_squared] = sum(mass_squared);
      to.least[Rank] = order_of(part.least[Rank]);
      to.most[Rank] = order_of(part.most[Rank]);
    }
    return to;
  }

 private:
  template <class Sum>
  MACAREU_HD static Sum product(std::int64_t a, std::int64_t b) {
    if constexpr (sizeof(Sum) > 8)
      return wide_product(a, b);
    else
      return static_cast<Sum>(a) * static_cast<Sum>(b);
  }
  template <class Bound, class T>
  MACAREU_HD static Bound order_as(T intensity) {
    if constexpr (sizeof(Bound) == 8)
      return to_order(intensity);
    else
      return to_short_order(intensity);
  }
  /// 0 + 1 + 4 + ... + (n - 1)^2, where n > 0. One factor of the formula is even and one a multiple of 3.
  static wide_sum squares_below(std::int64_t n) {
    std::int64_t a = n - 1, b = n, c = 2 * n - 1;
    (a % 2 == 0 ? a : b) /= 2;
    (a % 3 == 0 ? a : b % 3 == 0 ? b : c) /= 3;
    return wide_product(a, b) * static_cast<wide_sum>(c);
  }
  MACAREU_HD static std::int64_t order_of(std::int32_t order) { return long_order(order); }
  MACAREU_HD static std::int64_t order_of(std::int64_t order) { return order; }

  template <class Row, class Label>
  MACAREU_HD void add_surroundings(Row& to, const labels_beside<Label>& labels) const {
    bool near[27]{};
    bool inner = true;
    labels.template look_around<Rank>(1, [&](auto&& is_same) {
      for (int i = Rank == 2 ? 9 : 0; i < (Rank == 2 ? 18 : 27); ++i) {
        near[i] = is_same(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1);
        inner = inner & near[i];
      }
    });
    if (inner) return;  // adds 0 to every count
    if constexpr (Rank == 2) {
      add_outline(to, outline_of(bits_beside(near + 9), border_beside(labels, near)), 0);
    } else {
      to.count[euler] += static_cast<typename Row::count_word>(cells_of_its_own(near));
      for (int d = 0; d < crossing_directions; ++d)
        to.count[static_cast<std::size_t>(shape + d)] +=
            static_cast<unsigned>(!near[d + 14]) + static_cast<unsigned>(!near[12 - d]);
    }
  }
};

}  // namespace macareu
