// What is summed up over the pixels of an object: everything that the table of object_table.hpp is made from,
// in one pass.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/key.hpp"
#include "patterns/tally.hpp"

namespace macareu {

struct object_size {
  using row = tally_row<1, 0, 0>;

  template <class Label>
  MACAREU_HD void add(row& to, site, const view<const Label>&) const {
    add_pixels(to, 1);
  }
  MACAREU_HD void add_pixels(row& to, std::uint64_t count) const { to.count[0] += count; }
};

/// Position of the first pixel, number of pixels, contact with the border of the image.
struct object_extent {
  using row = tally_row<2, 0, 1>;
  enum counts { pixels, on_border };

  template <class Label>
  MACAREU_HD void add(row& to, site p, const view<const Label>& labels) const {
    ++to.count[pixels];
    to.count[on_border] += p.x == 0 || p.y == 0 || p.x == labels.width - 1 || p.y == labels.height - 1 ||
                           (volume && (p.z == 0 || p.z == labels.depth - 1));
    to.stretch(0, (p.z * labels.height + p.y) * labels.width + p.x);
  }

  bool volume;
};

/// The directions in which the surface of a voxel object is cut, one of each pair of opposites.
inline constexpr int crossing_directions = 13;
MACAREU_HD constexpr std::array<int, 3> crossing_direction(int i) {
  const int n = i + 14;  // of the 27 steps, those after the middle
  return {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
}

/// Intensities as integers, exact or rounded to a multiple of the scale (plan_intensity).
struct intensity_scale {
  double per_value = 1;  // a power of two

  template <class T>
  MACAREU_HD std::int64_t operator()(T value) const {
    if constexpr (std::is_floating_point_v<T>) {
      const double scaled = static_cast<double>(value) * per_value;
      return static_cast<std::int64_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    } else if constexpr (sizeof(T) == 8) {
      // Wide integers are rounded down to a multiple where they do not fit.
      return per_value == 1 ? static_cast<std::int64_t>(value)
                            : static_cast<std::int64_t>(value / static_cast<T>(1 / per_value));
    } else {
      return static_cast<std::int64_t>(value);
    }
  }
};

/// A number in the order of pixel values, whatever their type, and the value again.
template <class T>
MACAREU_HD std::int64_t to_order(T value) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to_key(value)) ^ std::uint64_t{1} << 63);
}
/// The same of values of up to 32 bits in as many, and its 64 bits again.
template <class T>
MACAREU_HD std::int32_t to_short_order(T value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(to_key(value)) ^ std::uint32_t{1} << 31);
}
MACAREU_HD inline std::int64_t long_order(std::int32_t order) {
  const auto key = static_cast<std::uint32_t>(order) ^ std::uint32_t{1} << 31;
  return static_cast<std::int64_t>(std::uint64_t{key} ^ std::uint64_t{1} << 63);
}
template <class T>
double from_order(std::int64_t order) {
  const auto key = static_cast<std::uint64_t>(order) ^ std::uint64_t{1} << 63;
  return static_cast<double>(from_key<T>(static_cast<key_of<T>>(key)));
}

/// Two instructions, where those of 128-bit factors are many.
MACAREU_HD inline wide_sum wide_product(std::int64_t a, std::int64_t b) {
  return static_cast<wide_sum>(static_cast<signed_wide_sum>(a) * b);
}

/// Words that hold the sums of part_pixels pixels with their places in a part, as two's complement.
/// Intensities of 8 bits have squares below 2^16, those of 16 bits below 2^32; of others they may have 86
/// bits.
template <class... In>
struct part_words {
  using sum = std::uint32_t;
  using bound = std::int32_t;
};
template <class T>
struct part_words<T> {
  using sum = std::conditional_t<sizeof(T) == 1, std::uint32_t,
                                 std::conditional_t<sizeof(T) == 2, std::uint64_t, wide_sum>>;
  using bound = std::conditional_t<sizeof(T) <= 4, std::int32_t, std::int64_t>;
};

MACAREU_HD inline wide_sum widened(std::uint32_t word) {
  return static_cast<wide_sum>(static_cast<signed_wide_sum>(static_cast<std::int32_t>(word)));
}
MACAREU_HD inline wide_sum widened(std::uint64_t word) {
  return static_cast<wide_sum>(static_cast<signed_wide_sum>(static_cast<std::int64_t>(word)));
}
MACAREU_HD inline wide_sum widened(wide_sum word) { return word; }

/// Of intensities alone: a few additions a pixel.
struct object_intensities {
  static constexpr int pixels = 0, mass = 0, mass_squared = 1;
  using row = tally_row<1, 2, 1>;

  intensity_scale scale;

  template <class Label, class T>
  MACAREU_HD void add(row& to, site, const view<const Label>&, const T& intensity) const {
    const std::int64_t steps = scale(intensity);
    ++to.count[pixels];
    to.stretch(0, to_order(intensity));
    to.sum[mass] += static_cast<wide_sum>(static_cast<signed_wide_sum>(steps));
    to.sum[mass_squared] += wide_product(steps, steps);
  }
};

/// What pixels of an image add to the Euler number and to the three lengths of the perimeter, a bit for each.
template <class Word>
struct image_outline {
  Word more, less;  // Euler number
  Word straight, slanted, mixed;
  MACAREU_HD bool any() const { return (more | less | straight | slanted | mixed) != 0; }
};

/// How many of four bits are set, as three words.
template <class Word>
struct count_of_four {
  Word ones, twos, four;
  MACAREU_HD count_of_four(Word a, Word b, Word c, Word d)
      : ones(a ^ b ^ c ^ d), twos((a & b) ^ (c & d) ^ ((a ^ b) & (c ^ d))), four(a & b & c & d) {}
};

/// Rank is 2 or 3; intensities are summed where there is such an image.
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

  /// What differs between the pixels of a column: all sums of places follow from where it begins and ends.
  template <class... In>
  using column_row = tally_row<2 + shapes, Intensity ? 3 : 0, Intensity ? 1 : 0, std::uint32_t,
                               typename part_words<In...>::sum, typename part_words<In...>::bound>;

  intensity_scale scale;

  template <class Label, class... In>
  MACAREU_HD void add(row& to, site p, const view<const Label>& labels, const In&... intensity) const {
    add(to, site{0, 0, 0}, p, labels, intensity...);
  }

  /// Row: with places relative to the origin.
  template <class Row, class Label, class... In>
  MACAREU_HD void add(Row& to, site origin, site p, const view<const Label>& labels,
                      const In&... intensity) const {
    add_place(to, origin, p, intensity...);
    look_around(to, p, labels);
  }

  template <class Row, class... In>
  MACAREU_HD void add_place(Row& to, site origin, site p, const In&... intensity) const {
    using sum_word = typename Row::sum_word;
    using bound_word = typename Row::bound_word;
    const bound_word all[3]{static_cast<bound_word>(p.z - origin.z), static_cast<bound_word>(p.y - origin.y),
                            static_cast<bound_word>(p.x - origin.x)};
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
    const std::uint32_t below = to.count[pixels]++;  // the first
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
      const tally_row<Counts, Sums, Bounds, std::uint32_t, Sum, Bound>& column, site origin, site end)
  const {
    tally_row<Counts, sums, bounds, std::uint32_t, Sum, Bound> to;
    to.count = column.count;
    const auto n = static_cast<std::uint32_t>(column.count[pixels]);
    const auto x = static_cast<std::uint32_t>(end.x - origin.x),
               y = static_cast<std::uint32_t>(end.y - origin.y) - n;
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

  /// The Euler number is vertices - edges + faces of the object as closed squares. Each is counted by the
  /// first pixel of the object, in raster order, that has it; most cancel, and the upper corners less the
  /// upper edge remain.
  ///
  /// A pixel with one of its 4 neighbours outside the object is on its border. Border pixels count by what
  /// border they have beside them, s of 4 straight on and d of 4 aslant: 1, the root of 2, or half of both
  /// together (scikit-image's perimeter).
  template <class Word>
  requires(Rank == 2) MACAREU_HD
      static image_outline<Word> outline(const beside<Word>& same, const beside<Word>& border) {
    const count_of_four<Word> s(same.n & border.n, same.w & border.w, same.e & border.e, same.s & border.s),
        d(same.nw & border.nw, same.ne & border.ne, same.sw & border.sw, same.se & border.se);
    const Word on_border = ~(same.n & same.w & same.e & same.s);
    const Word none = ~(s.ones | s.twos | s.four), one = s.ones & ~s.twos;
    return {.more = ~(same.n | same.nw | same.w | same.ne),
            .less = ~same.n & (same.nw | same.w) & same.ne,
            .straight = on_border & s.twos & ~d.four & ~(d.ones & d.twos),
            .slanted = on_border & d.twos & ((none & ~d.ones) | (one & d.ones)),
            .mixed = on_border & one & (d.ones ^ d.twos)};
  }

  /// Of the pixel that has this bit.
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

  /// `count` pixels from p on along x, from the sums of their distances to p.
  template <class... In>
  requires(Rank == 2) void add_run(row& to, site p, std::int64_t count,
                                   const view<const In>&... intensity) const {
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
      wide_sum total = 0, squares = 0, moments = 0;
      std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = ~least;
      const auto add = [&](std::int64_t i, auto value) {
        const std::int64_t steps = scale(value), order = to_order(value);
        least = order < least ? order : least;
        most = order > most ? order : most;
        total += static_cast<wide_sum>(static_cast<signed_wide_sum>(steps));
        squares += wide_product(steps, steps);
        moments += wide_product(steps, i);
      };
      over_row(p, count, add, intensity...);
      to.stretch(Rank, least);
      to.stretch(Rank, most);
      to.sum[mass] += total;
      to.sum[mass_squared] += squares;
      to.sum[moment] += y * total;
      to.sum[moment + 1] += x * total + moments;
    }
  }

  /// The sums of x + X from those of x.
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

  template <class Label>
  MACAREU_HD static bool same(const view<const Label>& labels, site q, Label label) {
    return labels.contains(q) && labels[q] == label;
  }

  /// is_same(dz, dy, dx) is handed to `look`: whether the pixel there has p's label, without looking where
  /// the image ends if it is at least `reach` away.
  template <class Label, class Look>
  MACAREU_HD static void around(const view<const Label>& labels, site p, std::int64_t reach, Look&& look) {
    const Label* const here = &labels[p];
    const Label label = *here;
    const bool deep = p.x >= reach && p.y >= reach && p.x + reach < labels.width &&
                      p.y + reach < labels.height &&
                      (Rank == 2 || (p.z >= reach && p.z + reach < labels.depth));
    if (deep)
      look([&](int dz, int dy, int dx) {
        return here[dz * labels.step_z + dy * labels.step_y + dx * labels.step_x] == label;
      });
    else
      look([&](int dz, int dy, int dx) { return same(labels, {p.z + dz, p.y + dy, p.x + dx}, label); });
  }

  template <class Row, class Label>
  MACAREU_HD void look_around(Row& to, site p, const view<const Label>& labels) const {
    bool near[27]{};
    bool inner = true;
    around(labels, p, 1, [&](auto&& is_same) {
      for (int i = Rank == 2 ? 9 : 0; i < (Rank == 2 ? 18 : 27); ++i) {
        near[i] = is_same(i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1);
        inner = inner & near[i];
      }
    });
    if (inner) return;  // its share of every count is 0
    if constexpr (Rank == 2) {
      add_outline(to, outline(bits_beside(near + 9), border_beside(p, labels, near)), 0);
    } else {
      to.count[euler] += static_cast<typename Row::count_word>(cells_of_its_own(near));
      for (int d = 0; d < crossing_directions; ++d)
        to.count[static_cast<std::size_t>(shape + d)] +=
            static_cast<unsigned>(!near[d + 14]) + static_cast<unsigned>(!near[12 - d]);
    }
  }

  /// The Euler number is vertices - edges + faces - voxels of the object as closed cubes. Each is counted by
  /// the first pixel of the object, in raster order, that has it: by p if no other of those that share it
  /// comes before.
  MACAREU_HD static int cells_of_its_own(const bool* near) {
    int sum = 0;
    for (int cell = 0; cell < 27; ++cell) {
      const int ez = cell / 9 - 1, ey = cell / 3 % 3 - 1, ex = cell % 3 - 1;
      bool own = true;
      for (int dz = ez < 0 ? ez : 0; dz <= (ez > 0 ? ez : 0); ++dz)
        for (int dy = ey < 0 ? ey : 0; dy <= (ey > 0 ? ey : 0); ++dy)
          for (int dx = ex < 0 ? ex : 0; dx <= (ex > 0 ? ex : 0); ++dx) {
            const int there = dz * 9 + dy * 3 + dx;
            if (there < 0 && near[13 + there]) own = false;
          }
      const int sides = ez * ez + ey * ey + ex * ex;
      if (own) sum += (Rank - sides) % 2 == 0 ? 1 : -1;
    }
    return sum;
  }

  /// Of nine, row by row, all but the one in the middle.
  MACAREU_HD static beside<unsigned> bits_beside(const bool* nine) {
    return {nine[0], nine[1], nine[2], nine[3], nine[5], nine[6], nine[7], nine[8]};
  }

  /// None where it does not matter: p is not on the border itself.
  template <class Label>
  MACAREU_HD static beside<unsigned> border_beside(site p, const view<const Label>& labels,
                                                   const bool* near) {
    if (near[10] && near[12] && near[14] && near[16]) return {};
    unsigned object[5];  // of the pixels two up to two down, a bit for each from two left to two right
    around(labels, p, 2, [&](auto&& is_same) {
      for (int y = 0; y < 5; ++y) {
        object[y] = 0;
        for (int x = 0; x < 5; ++x) object[y] |= static_cast<unsigned>(is_same(0, y - 2, x - 2)) << x;
      }
    });
    bool border[9];
    for (int y = 0; y < 3; ++y) {
      const unsigned own = object[y + 1];
      const unsigned row = own & ~(own << 1 & own >> 1 & object[y] & object[y + 2]);
      for (int x = 0; x < 3; ++x) border[3 * y + x] = row >> (x + 1) & 1;
    }
    return bits_beside(border);
  }
};

}  // namespace macareu
