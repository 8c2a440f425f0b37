// lines on the cpu that count steps along y and add squares along x: Euclidean distances in images. Both are
// fused per band of rows, without an intermediate image. A first pass finds how far the nearest site above
// and below each band is. The squares of a row are searched in 16 bits. Runs of pixels with farther sites use
// divide and conquer in 32 bits, over the places whose site is near enough.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/line/envelope.hpp"
#include "engines/cpu/line/run_line.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {

template <class Count, class Last, class Out>
inline constexpr bool are_square_lines = false;
template <class Count, class Last, class Out>
requires requires(const Last last) { last.unit_squares(); }
inline constexpr bool are_square_lines<Count, Last, Out> =
    counts_steps<Count> && std::is_same_v<typename Count::value, std::uint16_t> &&
    std::is_same_v<typename Last::value, std::uint32_t>;

/// Solves one row of steps at a time, in thread-private memory.
template <class Rule, class Out>
class square_row {
 public:
  square_row(const Rule& rule, const view<Out>& out)
      : rule_(rule),
        out_(out),
        squares_(static_cast<std::size_t>(out.width + 2 * envelope_margin(out.width, true)), narrow_far),
        near_(static_cast<std::size_t>(out.width)),
        left_(std::make_unique<bool[]>(static_cast<std::size_t>(blocks()))),
        reaches_(static_cast<std::size_t>(ceil_div(out.width, segment))),
        best_(static_cast<std::size_t>(out.width + envelope_block)),
        places_(static_cast<std::size_t>(out.width + square_padding)),
        values_(places_),
        nearest_(static_cast<std::size_t>(2 * blocks() + 1)) {}

  void solve(const std::uint16_t* steps, std::int64_t y) {
    constexpr std::uint16_t most = 181;  // its square is below narrow_far
    const auto width = out_.width;
    std::uint16_t* const squares = squares_.data() + envelope_margin(width, true);
    for (std::int64_t x = 0; x < width; ++x)
      squares[x] = steps[x] > most ? narrow_far : static_cast<std::uint16_t>(steps[x] * steps[x]);
    const auto limit = static_cast<std::uint16_t>(std::min<std::uint32_t>(rule_.limit(), narrow_far - 1));
    cpu::solve(narrow_line{width, squares, limit, near_.data(), left_.get()});
    for_runs_of(false, [&](std::int64_t begin, std::int64_t end) { write(near_.data(), y, begin, end); });
    bounded_ =
        tuning::share_of_long_blocks * std::count(left_.get(), left_.get() + blocks(), true) > blocks();
    if (bounded_) bound_reaches(steps);
    for_runs_of(true, [&](std::int64_t begin, std::int64_t end) {
      conquer(find_places(steps, begin, end), begin, end, best_.data(), nearest_.data());
      write(best_.data(), y, begin, end);
    });
  }

 private:
  static constexpr std::int64_t segment = 2 * narrow_block;  // no image here is narrower

  std::int64_t blocks() const { return ceil_div(out_.width, narrow_block); }

  /// visit(begin, end) for runs of blocks whose `left` flag matches. The last block ends with the line and
  /// has overwritten part of the previous one.
  template <class Visit>
  void for_runs_of(bool left, const Visit& visit) const {
    const bool* const is = left_.get();
    for (std::int64_t block = 0; block < blocks(); ++block) {
      if (is[block] != left) continue;
      const auto begin = std::min(block * narrow_block, out_.width - narrow_block);
      while (block + 1 < blocks() && is[block + 1] == left) ++block;
      visit(begin, std::min((block + 1) * narrow_block, out_.width));
    }
  }

  /// Upper bounds on the distance from a segment's pixels to the nearest site: along the row to a segment
  /// with a site above or below, then up or down.
  void bound_reaches(const std::uint16_t* steps) {
    for (std::size_t s = 0; s < reaches_.size(); ++s) {
      const auto* const own = steps + std::min(static_cast<std::int64_t>(s) * segment, out_.width - segment);
      std::uint16_t fewest = own[0];
      for (std::int64_t x = 1; x < segment; ++x) fewest = std::min(fewest, own[x]);
      const bool none = rule_.lift(fewest) > rule_.limit();
      reaches_[s] = none ? std::numeric_limits<std::int32_t>::max() : fewest + segment - 1;
    }
    for (std::size_t s = 1; s < reaches_.size(); ++s)
      reaches_[s] = std::min(reaches_[s], reaches_[s - 1] + segment);
    for (std::size_t s = reaches_.size() - 1; s > 0; --s)
      reaches_[s - 1] = std::min(reaches_[s - 1], reaches_[s] + segment);
  }

  /// The places that pixels begin .. end - 1 may be nearest to. None is further from the first or the last
  /// pixel than its own site, or the bound of its segment. No site is further away than the largest of their
  /// bounds.
  square_places find_places(const std::uint16_t* steps, std::int64_t begin, std::int64_t end) {
    const Rule rule = rule_;  // a local copy cannot alias: else the loop is not vectorised
    const auto segment_of = [&](std::int64_t x) { return reaches_.begin() + x / segment; };
    const auto reach_of = [&](std::int64_t x) {
      if (bounded_) return *segment_of(x);
      return rule.lift(steps[x]) > rule.limit() ? out_.width : std::int64_t{steps[x]};
    };
    std::uint32_t most = rule.limit();
    if (bounded_) {
      const auto farthest = *std::max_element(segment_of(begin), segment_of(end - 1) + 1);
      most = static_cast<std::uint32_t>(std::min<std::int64_t>(most, farthest * farthest));
    }
    const auto first = std::max<std::int64_t>(0, begin - reach_of(begin)),
               beyond = std::min(out_.width, end + reach_of(end - 1));
    std::uint32_t* const own = best_.data();
    for (auto x = first; x < beyond; ++x) own[x] = rule.lift(steps[x]);
    std::size_t count = 0;
    for (auto x = first; x < beyond; ++x) {
      places_[count] = static_cast<std::uint32_t>(x);
      values_[count] = own[x];
      count += own[x] <= most ? 1 : 0;
    }
    for (std::size_t i = count; count > 0 && i < count + square_padding; ++i) {
      places_[i] = places_[count - 1];
      values_[i] = values_[count - 1];
    }
    return {static_cast<std::int64_t>(count), places_.data(), values_.data()};
  }

  template <class Value>
  void write(const Value* best, std::int64_t y, std::int64_t begin, std::int64_t end) const {
    Out* const to = out_.at(0, y);
    if constexpr (gives_f32_roots<Rule, Out>)
      roots(best + begin, end - begin, rule_.limit(), rule_.result(beyond_limit(rule_)), to + begin);
    else
      for (std::int64_t x = begin; x < end; ++x) to[x] = rule_.result(best[x]);
  }

  const Rule& rule_;
  view<Out> out_;
  std::vector<std::uint16_t> squares_, near_;
  std::unique_ptr<bool[]> left_;
  std::vector<std::int64_t> reaches_;  // per segment
  bool bounded_ = false;               // reaches_ is valid for this row
  std::vector<std::uint32_t> best_, places_, values_;
  std::vector<std::int64_t> nearest_;
};

/// Steps along y to the nearest site, computed in bands of rows that fit the cache.
template <class Rule, class In>
class step_bands {
 public:
  using steps = std::uint16_t;

  step_bands(const Rule& rule, const view<const In>& in)
      : rule_(rule),
        in_(in),
        none_(static_cast<steps>(rule.limit() + 1)),
        rows_(std::max<std::int64_t>(8, tuning::steps_in_cache / in.width)),
        bands_(ceil_div(in.height, rows_)),
        above_(static_cast<std::size_t>(bands_ * in.width), none_),
        below_(above_) {}

  std::int64_t bands() const { return bands_; }

  /// Steps from the band's last row up to its last site, and from its first row down to its first.
  void look_for_sites(std::int64_t band) {
    steps* const up = above(band);
    steps* const down = below(band);
    for (std::int64_t row = 0; row < rows_of(band); ++row) {
      const auto look = [up, down, row, rule = rule_](std::int64_t x, const In& pixel) {
        const steps own = rule.lift(pixel);
        up[x] = std::min(own, static_cast<steps>(up[x] + 1));
        down[x] = std::min(down[x], static_cast<steps>(own + row));
      };
      over_row({0, first_row(band) + row, 0}, in_.width, look, in_);
    }
  }

  /// Scans over bands. Afterwards above() counts steps upwards from the row before a band, and below()
  /// downwards from the row after it.
  void carry_over_bands() {
    std::vector<steps> nearest(static_cast<std::size_t>(in_.width), none_);
    const auto pass = [&](steps* own, std::int64_t rows) {
      for (std::size_t x = 0; x < nearest.size(); ++x) {
        const steps found = own[x], before = nearest[x];
        own[x] = before;
        nearest[x] = std::min(found, std::min(static_cast<steps>(before + rows), none_));
      }
    };
    for (std::int64_t band = 0; band < bands_; ++band) pass(above(band), rows_of(band));
    std::ranges::fill(nearest, none_);
    for (std::int64_t band = bands_ - 1; band >= 0; --band) pass(below(band), rows_of(band));
  }

  /// visit(steps of a row, y) for the rows of a band.
  template <class Visit>
  void count(std::int64_t band, std::vector<steps>& room, const Visit& visit) {
    const auto width = in_.width, rows = rows_of(band);
    room.resize(static_cast<std::size_t>(rows_ * width));
    const auto row_of = [&](std::int64_t row) { return room.data() + row * width; };
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto down = [to = row_of(row), from = row > 0 ? row_of(row - 1) : above(band), rule = rule_](
                            std::int64_t x, const In& pixel) {
        const steps own = rule.lift(pixel), offer = static_cast<steps>(from[x] + 1);
        to[x] = own < offer ? own : offer;
      };
      over_row({0, first_row(band) + row, 0}, width, down, in_);
    }
    for (std::int64_t row = rows - 1; row >= 0; --row) {
      steps* const to = row_of(row);
      const steps* const from = row + 1 < rows ? row_of(row + 1) : below(band);
      for (std::int64_t x = 0; x < width; ++x) to[x] = std::min(to[x], static_cast<steps>(from[x] + 1));
      visit(to, first_row(band) + row);
    }
  }

 private:
  std::int64_t first_row(std::int64_t band) const { return band * rows_; }
  std::int64_t rows_of(std::int64_t band) const { return std::min(rows_, in_.height - first_row(band)); }
  steps* above(std::int64_t band) { return above_.data() + band * in_.width; }
  steps* below(std::int64_t band) { return below_.data() + band * in_.width; }

  const Rule& rule_;
  view<const In> in_;
  steps none_;
  std::int64_t rows_, bands_;
  std::vector<steps> above_, below_;
};

/// run_line handles narrower images.
inline constexpr std::int64_t least_width_of_squares = 2 * narrow_block;

template <class Count, class Last, class Out, class In>
void run_square_lines(const job& work, const Count& count, const Last& last, const view<Out>& out,
                      const view<const In>& in) {
  const int threads = threads_for(in.pixels(), work.how.threads);
  step_bands<Count, In> steps(count, in);
  over_units(work, threads, steps.bands(), 1, [&](int, std::int64_t band) { steps.look_for_sites(band); });
  steps.carry_over_bands();
  std::vector<square_row<Last, Out>> rows;
  for (int thread = 0; thread < threads; ++thread) rows.emplace_back(last, out);
  std::vector<std::vector<std::uint16_t>> room(static_cast<std::size_t>(threads));
  over_units(work, threads, steps.bands(), 1, [&](int thread, std::int64_t band) {
    auto& row = rows[static_cast<std::size_t>(thread)];
    steps.count(band, room[static_cast<std::size_t>(thread)],
                [&](const std::uint16_t* to_site, std::int64_t y) { row.solve(to_site, y); });
  });
}

}  // namespace macareu::cpu
