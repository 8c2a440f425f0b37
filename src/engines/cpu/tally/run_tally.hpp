// tally on the cpu: one row of sums per object, accumulated by several threads.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tally/outline_rows.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/tally.hpp"

namespace macareu::cpu {

/// A thread's direct-mapped cache of rows. An evicted row is joined with the shared row of its object. Memory
/// therefore does not grow with threads, and locks are taken only on eviction.
template <class Row>
class tally_cache {
 public:
  /// Shared by all threads.
  struct shared_rows {
    std::vector<Row> rows;
    std::array<std::mutex, tuning::tally_locks> locks;
  };

  explicit tally_cache(shared_rows& shared)
      : shared_(shared),
        slots_(std::min<std::size_t>(tuning::tally_rows_cached, std::bit_ceil(shared.rows.size()))) {}

  Row& row_of(std::uint64_t label) {
    auto& place = slots_[label & (slots_.size() - 1)];
    if (place.label != label) {
      put_back(place);
      place.label = label;
    }
    return place.row;
  }
  void put_back_all() {
    for (auto& place : slots_) put_back(place);
  }

 private:
  struct slot {
    std::uint64_t label = 0;
    Row row;
  };

  void put_back(slot& place) {
    if (place.label == 0) return;
    const std::lock_guard lock(shared_.locks[place.label % shared_.locks.size()]);
    shared_.rows[static_cast<std::size_t>(place.label)].join(place.row);
    place = {};
  }

  shared_rows& shared_;
  std::vector<slot> slots_;  // a power of 2, not many more than there are labels
};

/// visit(label, x, pixels) for every run of a label other than 0 in a row.
template <class Label, class Visit>
void over_label_runs(const view<const Label>& labels, site begin, Visit&& visit) {
  const Label* const row = &labels[begin];
  for (std::int64_t x = 0; x < labels.width;) {
    const Label label = row[x * labels.step_x];
    const auto first = x;
    while (++x < labels.width && row[x * labels.step_x] == label) {
    }
    if (label != 0) visit(label, first, x - first);
  }
}

/// Rows of an image, run by run. Outlines are computed in words of pixels. origin: the place of the images'
/// first pixel in the whole.
template <class Rule, class Cache, class Label, class... In>
void tally_runs(const Rule& rule, site origin, Cache& own, std::int64_t first, std::int64_t last,
                const view<const Label>& labels, const view<const In>&... in) {
  outline_rows<Label> near(labels, first);
  for (auto y = first; y < last; ++y) {
    near.go_to(y);
    auto outline = rule.outline(near.same_beside(0), near.border_beside(0));
    std::int64_t at = 0;  // the word of the outline
    near.over_runs([&](std::int64_t begin, std::int64_t end) {
      const Label label = labels[{0, y, begin}];
      if (label == 0) return;
      auto& sums = own.row_of(label);
      const site first_pixel{0, y, begin};
      rule.add_run(sums, origin + first_pixel, end - begin, row_of_pixels<In...>(first_pixel, in...));
      for (auto i = begin / word_bits; i * word_bits < end; ++i) {
        if (i != at) outline = rule.outline(near.same_beside(i), near.border_beside(i));
        at = i;
        const auto from = std::max<std::int64_t>(begin - i * word_bits, 0);
        const auto behind = std::max<std::int64_t>((i + 1) * word_bits - end, 0);
        rule.add_outlines(sums, outline, ~bit_word{0} << from & ~bit_word{0} >> behind);
      }
    });
  }
}

/// Rows of images and volumes. A rule that treats all pixels of an object alike may have add_pixels, and one
/// that sees only their places add_row, which add a whole run at once.
template <class Rule, class Cache, class Label, class... In>
void tally_rows(const Rule& rule, site origin, Cache& own, std::int64_t first, std::int64_t last,
                const view<const Label>& labels, const view<const In>&... in) {
  for (auto row = first; row < last; ++row) {
    site p{row / labels.height, row % labels.height, 0};
    if constexpr (requires(typename Rule::row & sums) { rule.add_pixels(sums, std::uint64_t{1}); }) {
      over_label_runs(labels, p, [&](Label label, std::int64_t, std::int64_t pixels) {
        rule.add_pixels(own.row_of(label), static_cast<std::uint64_t>(pixels));
      });
    } else if constexpr (requires(typename Rule::row & sums) { rule.add_row(sums, p, std::int64_t{1}); }) {
      over_label_runs(labels, p, [&](Label label, std::int64_t x, std::int64_t pixels) {
        rule.add_row(own.row_of(label), origin + site{p.z, p.y, x}, pixels);
      });
    } else {
      Label last_label{};
      typename Rule::row* sums = nullptr;  // of the previous label, most often also the next one
      for (; p.x < labels.width; ++p.x) {
        const Label label = labels[p];
        if (label == 0) continue;
        if (label != last_label) sums = &own.row_of(last_label = label);
        rule.add(*sums, origin + p, labels_beside<Label>{labels, p}, in[p]...);
      }
    }
  }
}

template <class Rule, class Label, class... In>
std::vector<typename Rule::row> run_tally(job& work, const Rule& rule, site origin, std::uint64_t count,
                                          tally_band band, const view<const Label>& labels,
                                          const view<const In>&... in) {
  static_assert(tally_rule<Rule, Label, In...>);
  using cache = tally_cache<typename Rule::row>;
  typename cache::shared_rows shared;
  shared.rows.resize(static_cast<std::size_t>(count) + 1);
  const int threads = threads_for(labels.pixels(), work.how.threads);
  work.report.threads = std::max(work.report.threads, threads);
  // Units are contiguous rows: these share objects, so the cache evicts less.
  const std::int64_t rows_of_unit = labels.depth > 1 ? labels.height : 1;
  const auto begin = band.first * rows_of_unit, rows = band.count * rows_of_unit;
  const std::int64_t together =
      std::max<std::int64_t>(1, tuning::tallied_pixels_claimed / std::max<std::int64_t>(labels.width, 1));
  over_units(work, threads, ceil_div(rows, together), 1, [&](int, std::int64_t unit) {
    cache own(shared);
    const auto first = begin + unit * together, last = std::min(begin + rows, first + together);
    if constexpr (has_runs<Rule, Label, In...>)
      tally_runs(rule, origin, own, first, last, labels, in...);
    else
      tally_rows(rule, origin, own, first, last, labels, in...);
    own.put_back_all();
  });
  return std::move(shared.rows);
}

}  // namespace macareu::cpu
