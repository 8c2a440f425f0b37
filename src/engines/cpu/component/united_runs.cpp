#include "engines/cpu/component/united_runs.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace macareu::cpu {

/// One or two rows ORed.
struct united_runs::row_pair {
  const bit_word* one;
  const bit_word* two;
  bit_word operator[](std::int64_t i) const { return one[i] | two[i]; }
};

std::uint64_t united_runs::sum_up(const bit_lines& lines) {
  auto* const first = lines.first.get();
  std::uint64_t total = 0;
  for (std::int64_t line = 0; line < lines.shape.lines(); ++line) total += std::exchange(first[line], total);
  return first[lines.shape.lines()] = total;
}

bool united_runs::can_number(std::uint64_t runs) { return runs <= std::numeric_limits<index>::max(); }

united_runs::index united_runs::runs() const { return first_run(shape_.lines()); }

united_runs::united_runs(const job& work, int threads, const neighbourhood& near, const bit_lines& lines,
                         const match_classes& matches)
    : work_(work),
      threads_(threads),
      near_(near),
      lines_(lines),
      shape_(lines.shape),
      matches_(matches),
      forest_(runs()) {
  const auto step = shape_.gather_z > 1 ? shape_.lines_y() : 1;
  const auto units = shape_.lines() / step;
  const auto bands = std::min<std::int64_t>(units, threads);
  // Bands are balanced by estimated work, which grows with runs and with words.
  const auto work_before = [&](std::int64_t unit) {
    return 2 * std::int64_t{first_run(unit * step)} + unit * step * shape_.words();
  };
  for (std::int64_t band = 0, unit = 0; band < bands; ++band) {
    while (work_before(unit) < work_before(units) / bands * band) ++unit;
    bands_.push_back(unit * step);
  }
  bands_.push_back(units * step);
  roots_.resize(static_cast<std::size_t>(bands));
  over_bands([&](std::int64_t band) { unite_band(band); });
  for (std::size_t band = 1; band + 1 < bands_.size(); ++band) unite_border(bands_[band]);
  over_bands([&](std::int64_t band) { flatten(band); });
}

void united_runs::unite_band(std::int64_t band) {
  const auto begin = begin_of(band), end = begin_of(band + 1);
  for (auto run = first_run(begin); run < first_run(end); ++run) forest_[run] = run;
  for (auto line = begin; line < end; ++line) {
    if (work_.how.stop.stop_requested()) return;
    unite_with_earlier(line, begin, line);
  }
}

/// Unites across a band border: lines from `border` on with lines before it.
void united_runs::unite_border(std::int64_t border) {
  const auto reach = shape_.lines_z() > 1 ? shape_.lines_y() + 1 : 1;
  for (auto line = border; line < std::min(border + reach, shape_.lines()); ++line)
    unite_with_earlier(line, 0, border);
}

/// Unites a line with its neighbours among the lines from .. to - 1.
void united_runs::unite_with_earlier(std::int64_t line, std::int64_t from, std::int64_t to) {
  const auto Z = line / shape_.lines_y(), Y = line % shape_.lines_y();
  constexpr std::array<std::array<int, 2>, 4> neighbours{{{0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
  for (const auto& [dz, dy] : neighbours) {
    const int axes = dz * dz + dy * dy;
    if (axes > near_.reach || (near_.rank == 2 && dz != 0)) continue;
    if (Z + dz < 0 || Y + dy < 0 || Y + dy >= shape_.lines_y()) continue;
    const auto other = line + dz * shape_.lines_y() + dy;
    if (other < from || other >= to) continue;
    const bool diagonals = axes < near_.reach;
    if (matches_)
      unite_classes(line, other, diagonals);
    else
      unite_lines(line, touching_rows(Z, Y, dz, dy), other, touching_rows(Z + dz, Y + dy, -dz, -dy),
                  diagonals);
  }
}

/// The rows of a line that touch the line at offset (dz, dy).
united_runs::row_pair united_runs::touching_rows(std::int64_t Z, std::int64_t Y, int dz, int dy) const {
  const auto ends = [](std::int64_t group, int gather, std::int64_t size, int direction) {
    const auto low = group * gather, high = std::min(low + gather, size) - 1;
    return std::pair(direction > 0 ? high : low, direction < 0 ? low : high);
  };
  const auto [z0, z1] = ends(Z, shape_.gather_z, shape_.depth, dz);
  const auto [y0, y1] = ends(Y, shape_.gather_y, shape_.height, dy);
  return {lines_.row(z0, y0), lines_.row(z1, y1)};
}

/// The runs of one word of a line: by its heads, and the number of the last run that begins before it.
struct word_runs {
  bit_word heads;
  std::uint32_t before;
  /// The run that bit `bit` lies in.
  std::uint32_t at(int bit) const {
    return before + static_cast<std::uint32_t>(std::popcount(heads & ~bit_word{0} >> (word_bits - 1 - bit)));
  }
};

void united_runs::unite_lines(std::int64_t line, const row_pair& a_row, std::int64_t other,
                              const row_pair& b_row, bool diagonals) {
  const auto words = shape_.words();
  // Copies, which unions cannot change.
  const run_forest& forest = forest_;
  const auto runs_of = [words, &lines = lines_](std::int64_t of) {
    const auto last = static_cast<index>(lines.first[static_cast<std::size_t>(of)]) - 1;
    return [=, heads = lines.heads_of(of), earlier = lines.earlier.get() + of * words](std::int64_t i) {
      return word_runs{heads[i], last + earlier[i]};
    };
  };
  const auto a_runs = runs_of(line), b_runs = runs_of(other);
  bit_word b_before = 0, both_before = 0;
  for (std::int64_t i = 0; i < words; ++i) {
    const bit_word a = a_row[i], b = b_row[i];
    const bit_word b_left = b << 1 | b_before >> 63;
    b_before = b;
    if (a == 0) {
      both_before = 0;
      continue;
    }
    const word_runs in_a = a_runs(i), in_b = b_runs(i);
    const bit_word ah = in_a.heads, bh = in_b.heads, both = a & b;
    // Each pair of runs once: where the contact begins, or one of the runs does.
    for (bit_word open = both & (~(both << 1 | both_before >> 63) | ah | bh); open != 0; open &= open - 1) {
      const int bit = std::countr_zero(open);
      forest.unite(in_a.at(bit), in_b.at(bit));
    }
    if (diagonals) {
      const bit_word b_right = b >> 1 | (i + 1 < words ? b_row[i + 1] << 63 : 0);
      // Skips diagonal contacts of runs that also touch directly. At the end of a word the pair is united
      // again, which is harmless.
      for (bit_word open = a & b_left & ~(both & ~bh) & ~((both << 1 | both_before >> 63) & ~ah); open != 0;
           open &= open - 1) {
        const int bit = std::countr_zero(open);
        forest.unite(in_a.at(bit), bit > 0 ? in_b.at(bit - 1) : in_b.before);
      }
      constexpr bit_word last = bit_word{1} << 63;
      for (bit_word open = a & b_right & ~(both & ~(bh >> 1 | last)) & ~(both >> 1 & ~(ah >> 1)); open != 0;
           open &= open - 1) {
        const int bit = std::countr_zero(open);
        forest.unite(in_a.at(bit), bit < 63 ? in_b.at(bit + 1) : b_runs(i + 1).at(0));
      }
    }
    both_before = both;
  }
}

/// Writes the places of set bits, counted from `first`, and returns their number. Writes 8 places at a time,
/// which avoids a branch per bit.
static std::int64_t list_places(bit_word bits, std::int64_t first, std::int64_t* places) {
  const std::int64_t count = std::popcount(bits);
  for (std::int64_t i = 0; i < count; i += 8)
    for (int k = 0; k < 8; ++k, bits &= bits - 1) places[i + k] = first + std::countr_zero(bits);
  return count;
}

/// Lines are rows here. Runs that touch do so where one of them begins. Runs that touch only by a corner: one
/// begins at the corner, and the row of the other has a different run there, or none.
void united_runs::unite_classes(std::int64_t line, std::int64_t other, bool diagonals) {
  const auto words = shape_.words();
  const bit_word* const a = lines_.bits.get() + line * words;
  const bit_word* const b = lines_.bits.get() + other * words;
  const bit_word* const a_heads = lines_.heads_of(line);
  const bit_word* const b_heads = lines_.heads_of(other);
  const auto unite = [&](int shift, auto&& touching) {
    constexpr std::int64_t piece = 32;  // words, whose places fit the stack however long the line is
    std::array<std::int64_t, static_cast<std::size_t>(piece * word_bits)> places;
    const auto run_of = [&](std::int64_t of, std::int64_t x) {
      return run_at(of, x >> 6, static_cast<int>(x & 63));
    };
    for (std::int64_t first = 0; first < words; first += piece) {
      std::int64_t count = 0;
      for (auto i = first; i < std::min(first + piece, words); ++i)
        count += list_places(touching(i), i * word_bits, places.data() + count);
      count = matches_(line, other, shift, places.data(), count);
      for (const auto x : std::span(places).first(static_cast<std::size_t>(count)))
        forest_.unite(run_of(line, x), run_of(other, x + shift));
    }
  };
  unite(0, [&](std::int64_t i) { return a[i] & b[i] & (a_heads[i] | b_heads[i]); });
  if (!diagonals) return;
  unite(-1, [&](std::int64_t i) {
    const bit_word b_left = b[i] << 1 | (i > 0 ? b[i - 1] >> 63 : 0);
    return a_heads[i] & b_left & (b_heads[i] | ~b[i]);
  });
  const auto begins = [&](std::int64_t i) { return b_heads[i] & (a_heads[i] | ~a[i]); };
  unite(1,
        [&](std::int64_t i) { return a[i] & (begins(i) >> 1 | (i + 1 < words ? begins(i + 1) << 63 : 0)); });
}

void united_runs::flatten(std::int64_t band) {
  const auto begin = first_run(begin_of(band)), end = first_run(begin_of(band + 1));
  std::uint64_t roots = 0;
  for (auto run = begin; run < end; ++run) {
    const auto above = forest_[run];
    if (above >= begin) forest_[run] = forest_[above];
    roots += above == run;
  }
  roots_[static_cast<std::size_t>(band)] = roots;
}

}  // namespace macareu::cpu
