#include "engines/cpu/component/lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "engines/cpu/component/run_forest.hpp"
#include "engines/cpu/component/write_labels.hpp"
#include "engines/cpu/units.hpp"

namespace macareu::cpu {
namespace {

using index = run_forest::index;

/// One or two rows ORed.
struct row_pair {
  const bit_word* one;
  const bit_word* two;
  bit_word operator[](std::int64_t i) const { return one[i] | two[i]; }
};

class labelling {
 public:
  labelling(const job& work, int threads, const neighbourhood& near, const bit_lines& lines,
            const match_classes& matches)
      : work_(work),
        threads_(threads),
        near_(near),
        lines_(lines),
        shape_(lines.shape),
        matches_(matches),
        runs_(sum_up()),
        forest_(runs_),
        number_(room_for<index>(runs_)) {
    // A band begins where the raster order of pixels has no way back: at whole lines of slices in volumes.
    const auto step = shape_.gather_z > 1 ? shape_.lines_y() : 1;
    const auto units = shape_.lines() / step;
    const auto bands = std::min<std::int64_t>(units, threads);
    for (std::int64_t band = 0; band <= bands; ++band) bands_.push_back(units * band / bands * step);
  }

  std::uint64_t number_objects() {
    over_bands([&](std::int64_t band) { unite_band(band); });
    for (std::size_t band = 1; band + 1 < bands_.size(); ++band) unite_border(bands_[band]);
    std::vector<std::uint64_t> before(bands_.size());
    over_bands([&](std::int64_t band) { before[static_cast<std::size_t>(band) + 1] = flatten(band); });
    for (std::size_t band = 1; band < before.size(); ++band) before[band] += before[band - 1];
    over_bands([&](std::int64_t band) { number_roots(band, before[static_cast<std::size_t>(band)]); });
    over_bands([&](std::int64_t band) { number_others(band); });
    return before.back();
  }

  template <class Label>
  void write(const view<Label>& labels) {
    const std::int64_t batch = std::max<std::int64_t>(1, 1024 / shape_.words());
    over_units(work_, threads_, shape_.lines(), batch, [&](int, std::int64_t line) {
      const auto z = line / shape_.lines_y() * shape_.gather_z, y = line % shape_.lines_y() * shape_.gather_y;
      for (auto slice = z; slice < std::min(z + shape_.gather_z, shape_.depth); ++slice)
        for (auto row = y; row < std::min(y + shape_.gather_y, shape_.height); ++row)
          write_row(number_.get() + lines_.first[static_cast<std::size_t>(line)], lines_.heads_of(line),
                    lines_.row(slice, row), labels, slice, row);
    });
  }

 private:
  /// From runs of lines to first runs of lines. Returns the number of all runs.
  std::int64_t sum_up() const {
    auto* const first = lines_.first.get();
    std::uint64_t total = 0;
    for (std::int64_t line = 0; line < shape_.lines(); ++line) total += std::exchange(first[line], total);
    first[shape_.lines()] = total;
    if (total > std::numeric_limits<index>::max())
      throw device_error("label: " + std::to_string(total) +
                         " runs of pixels are too many at once: use blocks");
    return static_cast<std::int64_t>(total);
  }

  template <class Visit>
  void over_bands(Visit&& visit) const {
    over_units(work_, threads_, std::ssize(bands_) - 1, 1, [&](int, std::int64_t band) { visit(band); });
  }
  std::int64_t begin_of(std::int64_t band) const { return bands_[static_cast<std::size_t>(band)]; }
  index first_run(std::int64_t line) const {
    return static_cast<index>(lines_.first[static_cast<std::size_t>(line)]);
  }

  index run_at(std::int64_t line, std::int64_t i, int bit) const {
    const auto at = static_cast<std::size_t>(line * shape_.words() + i);
    const bit_word upto = lines_.heads[at] & (~bit_word{0} >> (word_bits - 1 - bit));
    return first_run(line) + lines_.earlier[at] + static_cast<index>(std::popcount(upto)) - 1;
  }

  void unite_band(std::int64_t band) {
    const auto begin = begin_of(band), end = begin_of(band + 1);
    for (auto run = first_run(begin); run < first_run(end); ++run) forest_[run] = run;
    std::vector<bit_word> matched(static_cast<std::size_t>(matches_ ? 3 * shape_.words() : 0));
    for (auto line = begin; line < end; ++line) {
      if (work_.how.stop.stop_requested()) return;
      unite_with_earlier(line, begin, line, matched);
    }
  }

  /// What the bands left open: lines from `border` on with lines before it.
  void unite_border(std::int64_t border) {
    std::vector<bit_word> matched(static_cast<std::size_t>(matches_ ? 3 * shape_.words() : 0));
    const auto reach = shape_.lines_z() > 1 ? shape_.lines_y() + 1 : 1;
    for (auto line = border; line < std::min(border + reach, shape_.lines()); ++line)
      unite_with_earlier(line, 0, border, matched);
  }

  /// With its neighbours among the lines from `from` up to `to`.
  void unite_with_earlier(std::int64_t line, std::int64_t from, std::int64_t to,
                          std::vector<bit_word>& matched) {
    const auto Z = line / shape_.lines_y(), Y = line % shape_.lines_y();
    constexpr std::array<std::array<int, 2>, 4> neighbours{{{0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
    for (const auto& [dz, dy] : neighbours) {
      const int axes = dz * dz + dy * dy;
      if (axes > near_.reach || (near_.rank == 2 && dz != 0)) continue;
      if (Z + dz < 0 || Y + dy < 0 || Y + dy >= shape_.lines_y()) continue;
      const auto other = line + dz * shape_.lines_y() + dy;
      if (other < from || other >= to) continue;
      unite_lines(line, touching_rows(Z, Y, dz, dy), other, touching_rows(Z + dz, Y + dy, -dz, -dy),
                  axes < near_.reach, matched);
    }
  }

  /// The rows of a line that have neighbours in the line (dz, dy) further.
  row_pair touching_rows(std::int64_t Z, std::int64_t Y, int dz, int dy) const {
    const auto ends = [](std::int64_t group, int gather, std::int64_t size, int direction) {
      const auto low = group * gather, high = std::min(low + gather, size) - 1;
      return std::pair(direction > 0 ? high : low, direction < 0 ? low : high);
    };
    const auto [z0, z1] = ends(Z, shape_.gather_z, shape_.depth, dz);
    const auto [y0, y1] = ends(Y, shape_.gather_y, shape_.height, dy);
    return {lines_.row(z0, y0), lines_.row(z1, y1)};
  }

  void unite_lines(std::int64_t line, const row_pair& a_row, std::int64_t other, const row_pair& b_row,
                   bool diagonals, std::vector<bit_word>& matched) {
    const auto words = shape_.words();
    if (matches_) {
      const auto row_of = [&](const row_pair& row) { return (row.one - lines_.bits.get()) / words; };
      matches_(row_of(a_row), row_of(b_row), diagonals,
               {matched.data(), matched.data() + words, matched.data() + 2 * words});
    }
    const bit_word* const a_heads = lines_.heads_of(line);
    const bit_word* const b_heads = lines_.heads_of(other);
    bit_word b_before = 0, both_before = 0;
    for (std::int64_t i = 0; i < words; ++i) {
      const bit_word a = a_row[i], b = b_row[i];
      const bit_word b_left = b << 1 | b_before >> 63;
      b_before = b;
      if (a == 0) {
        both_before = 0;
        continue;
      }
      const auto at = static_cast<std::size_t>(i), all = static_cast<std::size_t>(words);
      const bit_word ah = a_heads[i], bh = b_heads[i];
      const bit_word both = matches_ ? a & b & matched[at] : a & b;
      // Each pair of runs once: where the contact begins, or one of the runs does.
      for (bit_word open = both & (~(both << 1 | both_before >> 63) | ah | bh); open != 0; open &= open - 1) {
        const int bit = std::countr_zero(open);
        forest_.unite(run_at(line, i, bit), run_at(other, i, bit));
      }
      if (diagonals) {
        const bit_word b_right = b >> 1 | (i + 1 < words ? b_row[i + 1] << 63 : 0);
        const bit_word left = matches_ ? a & b_left & matched[all + at] : a & b_left;
        const bit_word right = matches_ ? a & b_right & matched[2 * all + at] : a & b_right;
        // Not where the contact of the same two runs is not diagonal only; at a bit_word's end that is left
        // open.
        for (bit_word open = left & ~(both & ~bh) & ~((both << 1 | both_before >> 63) & ~ah); open != 0;
             open &= open - 1) {
          const int bit = std::countr_zero(open);
          forest_.unite(run_at(line, i, bit), bit > 0 ? run_at(other, i, bit - 1) : run_at(other, i - 1, 63));
        }
        constexpr bit_word last = bit_word{1} << 63;
        for (bit_word open = right & ~(both & ~(bh >> 1 | last)) & ~(both >> 1 & ~(ah >> 1)); open != 0;
             open &= open - 1) {
          const int bit = std::countr_zero(open);
          forest_.unite(run_at(line, i, bit), bit < 63 ? run_at(other, i, bit + 1) : run_at(other, i + 1, 0));
        }
      }
      both_before = both;
    }
  }

  /// Runs of a band point to their root, or to a run of an earlier band. Returns how many are roots.
  std::uint64_t flatten(std::int64_t band) {
    const auto begin = first_run(begin_of(band)), end = first_run(begin_of(band + 1));
    std::uint64_t roots = 0;
    for (auto run = begin; run < end; ++run) {
      const auto above = forest_[run];
      roots += above == run;
      if (above >= begin) forest_[run] = forest_[above];
      number_[run] = 0;
    }
    return roots;
  }

  void number_roots(std::int64_t band, std::uint64_t before) {
    const auto begin = begin_of(band), end = begin_of(band + 1);
    if (shape_.gather_y == 1) {
      for (auto run = first_run(begin); run < first_run(end); ++run)
        if (forest_[run] == run) number_[run] = static_cast<index>(++before);
      return;
    }
    const auto group = shape_.gather_z > 1 ? shape_.lines_y() : 1;
    for (auto line = begin; line < end; line += group) number_group(line, line + group, before);
  }

  /// Lines whose rows lie in each other's raster order: goes through the rows until every root has its
  /// number.
  void number_group(std::int64_t begin, std::int64_t end, std::uint64_t& number) {
    std::int64_t open = 0;
    for (auto run = first_run(begin); run < first_run(end); ++run) open += forest_[run] == run;
    const auto z = begin / shape_.lines_y() * shape_.gather_z;
    for (auto slice = z; slice < std::min(z + shape_.gather_z, shape_.depth) && open > 0; ++slice)
      for (auto line = begin; line < end && open > 0; ++line) {
        const auto y = line % shape_.lines_y() * shape_.gather_y;
        for (auto row = y; row < std::min(y + shape_.gather_y, shape_.height); ++row)
          open -= number_row(line, lines_.row(slice, row), first_run(begin), number);
      }
  }

  std::int64_t number_row(std::int64_t line, const bit_word* row, index group_begin, std::uint64_t& number) {
    std::int64_t done = 0;
    bit_word before = 0;
    for (std::int64_t i = 0; i < shape_.words(); ++i) {
      const bit_word bits = row[i];
      for (bit_word open = bits & (~(bits << 1 | before >> 63) | lines_.heads_of(line)[i]); open != 0;
           open &= open - 1) {
        const auto root = forest_[run_at(line, i, std::countr_zero(open))];
        if (root < group_begin || number_[root] != 0) continue;
        number_[root] = static_cast<index>(++number);
        ++done;
      }
      before = bits;
    }
    return done;
  }

  void number_others(std::int64_t band) {
    for (auto run = first_run(begin_of(band)); run < first_run(begin_of(band + 1)); ++run)
      if (forest_[run] != run) number_[run] = number_[forest_.root(forest_[run])];
  }

  const job& work_;
  int threads_;
  neighbourhood near_;
  const bit_lines& lines_;
  const line_shape& shape_;
  const match_classes& matches_;
  std::int64_t runs_;
  run_forest forest_;
  std::unique_ptr<index[]> number_;  // of every run: that of its object
  std::vector<std::int64_t> bands_;  // first lines, and the end
};

}  // namespace

template <class Label>
std::uint64_t label_lines(const job& work, int threads, const neighbourhood& near, const bit_lines& lines,
                          const match_classes& matches, const view<Label>& labels) {
  labelling objects(work, threads, near, lines, matches);
  const auto count = objects.number_objects();
  objects.write(labels);
  return count;
}

template std::uint64_t label_lines(const job&, int, const neighbourhood&, const bit_lines&,
                                   const match_classes&, const view<std::uint32_t>&);
template std::uint64_t label_lines(const job&, int, const neighbourhood&, const bit_lines&,
                                   const match_classes&, const view<std::uint64_t>&);

}  // namespace macareu::cpu
