#include "engines/cpu/component/lines.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include <macareu/error.hpp>

#include "engines/cpu/component/united_runs.hpp"
#include "engines/cpu/component/write_labels.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {
namespace {

using index = united_runs::index;

class labelling {
 public:
  labelling(const job& work, int threads, const neighbourhood& near, const bit_lines& lines,
            const match_classes& matches)
      : work_(work),
        threads_(threads),
        lines_(lines),
        shape_(lines.shape),
        runs_(work, threads, near, lines, matches),
        numbers_(room_for<index>(std::int64_t{runs_.runs()} + 8)),
        number_(numbers_.get() + 1) {
    numbers_[0] = 0;
  }

  std::uint64_t number_objects() {
    std::vector<std::uint64_t> before(static_cast<std::size_t>(runs_.bands()) + 1);
    for (std::size_t band = 1; band < before.size(); ++band)
      before[band] = before[band - 1] + runs_.roots_of(static_cast<std::int64_t>(band) - 1);
    runs_.over_bands([&](std::int64_t band) { number_band(band, before[static_cast<std::size_t>(band)]); });
    runs_.over_bands([&](std::int64_t band) { number_others(band); });
    return before.back();
  }

  template <class Label>
  void write(const view<Label>& labels) {
    const std::int64_t batch = std::max<std::int64_t>(1, tuning::run_words_claimed / shape_.words());
    over_units(work_, threads_, shape_.lines(), batch, [&](int, std::int64_t line) {
      const auto z = line / shape_.lines_y() * shape_.gather_z, y = line % shape_.lines_y() * shape_.gather_y;
      for (auto slice = z; slice < std::min(z + shape_.gather_z, shape_.depth); ++slice)
        for (auto row = y; row < std::min(y + shape_.gather_y, shape_.height); ++row)
          write_row(number_ + lines_.first[static_cast<std::size_t>(line)], lines_.heads_of(line),
                    lines_.row(slice, row), labels, slice, row);
    });
  }

 private:
  /// Numbers the runs whose root lies in this band. `before`: the objects of earlier bands.
  void number_band(std::int64_t band, std::uint64_t before) {
    const auto begin = runs_.begin_of(band), end = runs_.begin_of(band + 1);
    const auto first = runs_.first_run(begin), last = runs_.first_run(end);
    const bool in_order = shape_.gather_y == 1;
    if (!in_order) {
      std::fill(number_ + first, number_ + last, index{0});
      const auto group = shape_.gather_z > 1 ? shape_.lines_y() : 1;
      for (auto line = begin; line < end; line += group) number_group(line, line + group, before);
    }
    for (auto run = first; run < last; ++run)
      if (const auto above = runs_.above(run); above != run) {
        if (above >= first) number_[run] = number_[above];
      } else if (in_order) {
        number_[run] = static_cast<index>(++before);
      }
  }

  /// The rows of these lines interleave in raster order, so roots are numbered row by row.
  void number_group(std::int64_t begin, std::int64_t end, std::uint64_t& number) {
    std::int64_t open = 0;
    for (auto run = runs_.first_run(begin); run < runs_.first_run(end); ++run)
      open += runs_.above(run) == run;
    const auto z = begin / shape_.lines_y() * shape_.gather_z;
    for (auto slice = z; slice < std::min(z + shape_.gather_z, shape_.depth) && open > 0; ++slice)
      for (auto line = begin; line < end && open > 0; ++line) {
        const auto y = line % shape_.lines_y() * shape_.gather_y;
        for (auto row = y; row < std::min(y + shape_.gather_y, shape_.height); ++row)
          open -= number_row(line, lines_.row(slice, row), runs_.first_run(begin), number);
      }
  }

  std::int64_t number_row(std::int64_t line, const bit_word* row, index group_begin, std::uint64_t& number) {
    std::int64_t done = 0;
    bit_word before = 0;
    for (std::int64_t i = 0; i < shape_.words(); ++i) {
      const bit_word bits = row[i];
      for (bit_word open = bits & (~(bits << 1 | before >> 63) | lines_.heads_of(line)[i]); open != 0;
           open &= open - 1) {
        const auto root = runs_.above(runs_.run_at(line, i, std::countr_zero(open)));
        if (root < group_begin || number_[root] != 0) continue;
        number_[root] = static_cast<index>(++number);
        ++done;
      }
      before = bits;
    }
    return done;
  }

  /// Numbers the runs whose root lies in an earlier band.
  void number_others(std::int64_t band) {
    const auto first = runs_.first_run(runs_.begin_of(band));
    for (auto run = first; first > 0 && run < runs_.first_run(runs_.begin_of(band + 1)); ++run)
      if (runs_.above(run) < first) number_[run] = number_[runs_.root(run)];
  }

  const job& work_;
  int threads_;
  const bit_lines& lines_;
  const line_shape& shape_;
  united_runs runs_;
  std::unique_ptr<index[]> numbers_;  // runs + 1: write_row reads one entry before the first
  index* number_;                     // object of every run
};

}  // namespace

template <class Label>
std::uint64_t label_lines(const job& work, int threads, const neighbourhood& near, const bit_lines& lines,
                          const match_classes& matches, const view<Label>& labels) {
  const auto runs = united_runs::sum_up(lines);
  if (!united_runs::can_number(runs))
    throw device_error("label", std::to_string(runs) + " runs of pixels exceed 2^32 - 1: set blocks");
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
