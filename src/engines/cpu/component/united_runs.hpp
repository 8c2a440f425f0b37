// Union-find over runs that touch: the first step of labelling and of binary waves.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "engines/cpu/component/lines.hpp"
#include "engines/cpu/component/run_forest.hpp"
#include "engines/cpu/runtime/units.hpp"

namespace macareu::cpu {

class united_runs {
 public:
  using index = run_forest::index;

  /// Prefix sum over the runs of lines. Returns the number of all runs, which can_number() may reject.
  static std::uint64_t sum_up(const bit_lines& lines);
  static bool can_number(std::uint64_t runs);

  /// `lines` must be summed up. Afterwards every run points to its root, or to a run of an earlier band.
  united_runs(const job& work, int threads, const neighbourhood& near, const bit_lines& lines,
              const match_classes& matches);

  /// visit(band) for bands of lines. Bands follow the raster order of pixels; with slices gathered, a band
  /// therefore begins at a whole group of slices.
  template <class Visit>
  void over_bands(Visit&& visit) const {
    over_units(work_, threads_, bands(), 1, [&](int, std::int64_t band) { visit(band); });
  }
  std::int64_t bands() const { return std::ssize(bands_) - 1; }
  std::int64_t begin_of(std::int64_t band) const { return bands_[static_cast<std::size_t>(band)]; }

  index runs() const;
  index first_run(std::int64_t line) const {
    return static_cast<index>(lines_.first[static_cast<std::size_t>(line)]);
  }
  index run_at(std::int64_t line, std::int64_t word, int bit) const {
    const auto at = static_cast<std::size_t>(line * shape_.words() + word);
    const bit_word upto = lines_.heads[at] & (~bit_word{0} >> (word_bits - 1 - bit));
    return first_run(line) + lines_.earlier[at] + static_cast<index>(std::popcount(upto)) - 1;
  }
  index above(index run) const { return forest_[run]; }
  index root(index run) const { return forest_.root(run); }
  /// The number of trees whose root lies in the band.
  std::uint64_t roots_of(std::int64_t band) const { return roots_[static_cast<std::size_t>(band)]; }

 private:
  struct row_pair;

  void unite_band(std::int64_t band);
  void unite_border(std::int64_t border);
  void unite_with_earlier(std::int64_t line, std::int64_t from, std::int64_t to);
  row_pair touching_rows(std::int64_t Z, std::int64_t Y, int dz, int dy) const;
  void unite_lines(std::int64_t line, const row_pair& a_row, std::int64_t other, const row_pair& b_row,
                   bool diagonals);
  void unite_classes(std::int64_t line, std::int64_t other, bool diagonals);
  void flatten(std::int64_t band);

  const job& work_;
  int threads_;
  neighbourhood near_;
  const bit_lines& lines_;
  const line_shape& shape_;
  const match_classes& matches_;
  run_forest forest_;
  std::vector<std::int64_t> bands_;   // first lines, and the end
  std::vector<std::uint64_t> roots_;  // per band
};

}  // namespace macareu::cpu
