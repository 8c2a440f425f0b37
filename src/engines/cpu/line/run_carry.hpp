// carry on the cpu: the least values of a line as in run_line.hpp, then the places that give them. Counted
// steps need no values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines/cpu/line/run_line.hpp"

namespace macareu::cpu {

template <class Rule>
void solve_in_memory(const Rule& rule, const envelope<typename Rule::value>& e) {
  using value = typename Rule::value;
  if constexpr (is_linear<Rule>) {
    const value step = rule.cost(1);
    e.best[0] = e.value[0];
    for (std::int64_t i = 1; i < e.size; ++i)
      e.best[i] = std::min<value>(e.value[i], static_cast<value>(e.best[i - 1] + step));
    for (std::int64_t i = e.size - 2; i >= 0; --i)
      e.best[i] = std::min<value>(e.best[i], static_cast<value>(e.best[i + 1] + step));
  } else {
    solve(rule.join(), e);
  }
}

/// A value that is above the best of its pixel by more than this stays above those of all pixels to come,
/// however they are rounded.
template <class Value>
Value lasting_gap(line_join join, const envelope<Value>& e) {
  Value most = 0;
  if constexpr (std::is_floating_point_v<Value>) {
    if (join == line_join::maximum) return 0;  // nothing is rounded
    for (std::int64_t i = 0; i < e.size; ++i)
      if (e.best[i] <= e.limit) most = std::max(most, e.best[i]);
    most *= 16 * std::numeric_limits<Value>::epsilon();
  }
  return most;
}

/// The first place that gives the least value never goes back either, so the line is walked once; where sums
/// are rounded it may go back among those that are nearly as good. place(i) is -1 where the value is above
/// the limit.
template <class Value>
void find_places(line_join join, const envelope<Value>& e, std::int64_t* place) {
  const auto own = e;  // not behind a reference: places might be part of it
  const Value gap = lasting_gap(join, own);
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < own.size; ++i) {
    const Value best = own.best[i];
    if (best > own.limit) {
      place[i] = -1;
      continue;
    }
    const auto beyond = [&](std::int64_t j) { return joined(join, own.value[j], own.cost[i - j]) - best; };
    while (beyond(first) > gap) ++first;
    auto j = first;
    while (beyond(j) != 0) ++j;
    place[i] = j;
  }
}

/// Lines of one thread, side by side: places beside values.
template <class Value>
struct carry_bundle {
  line_bundle<Value> lines;
  std::vector<std::int64_t> places;
};

/// The lines that begin at `first` and beside it.
template <class Rule, class Carried, class In>
void carry_lines(const Rule& rule, line_axis axis, site first, std::int64_t lines,
                 const line_costs<Rule>& costs, carry_bundle<typename Rule::value>& mine, Carried nothing,
                 const view<Carried>& out, const view<const In>& in, const view<const Carried>& carried) {
  const auto size = length_along(axis, in);
  // Copies of what loops need: behind references it might be what they write.
  const Rule own = rule;
  const auto step_in = step_along(axis, in), beside_in = in.step_x, pitch = mine.lines.pitch();
  const In* const from = &in[first];
  auto* const lifted = mine.lines.value(0);
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t l = 0; l < lines; ++l)
      lifted[l * pitch + i] = own.lift(from[i * step_in + l * beside_in]);
  for (std::int64_t l = 0; l < lines; ++l) {
    const envelope<typename Rule::value> e{
        size,         mine.lines.value(l), costs.data(),        costs.ordered,
        rule.limit(), mine.lines.best(l),  mine.lines.nearest()};
    solve_in_memory(rule, e);
    find_places(rule.join(), e, mine.places.data() + l * size);
  }
  const auto step_out = step_along(axis, out), beside_out = out.step_x;
  const auto step_carried = step_along(axis, carried), beside_carried = carried.step_x;
  const std::int64_t* const places = mine.places.data();
  const Carried* const source = &carried[first];
  Carried* const to = &out[first];
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t l = 0; l < lines; ++l) {
      const auto place = places[l * size + i];
      to[i * step_out + l * beside_out] =
          place < 0 ? nothing : source[place * step_carried + l * beside_carried];
    }
}

/// The nearest site of lines that count steps takes two scans over rows, like the steps themselves: the last
/// site above every pixel, then the first one below.
template <class Rule, class Carried, class In>
class site_strips {
 public:
  site_strips(int threads, const Rule& rule, line_axis axis, Carried nothing, const view<Carried>& out,
              const view<const In>& in, const view<const Carried>& carried)
      : rule_(rule),
        planes_(axis, in),
        nothing_(nothing),
        out_(out),
        in_(in),
        carried_(carried),
        strip_(strip_for(threads)),
        strips_((planes_.width + strip_ - 1) / strip_) {}

  static bool suffice(const Rule& rule, line_axis axis, const view<const In>& in) {
    const auto size = length_along(axis, in);
    return axis != line_axis::x && size <= -none_above && std::cmp_less_equal(size, rule.limit());
  }

  std::int64_t units() const { return planes_.count * strips_; }

  /// `room`: one thread's.
  void carry(std::int64_t unit, std::vector<std::int32_t>& room) const {
    const auto plane = unit / strips_, x = unit % strips_ * strip_,
               lines = std::min(strip_, planes_.width - x);
    room.assign(static_cast<std::size_t>((planes_.rows + 2) * lines), none_above);
    std::int32_t* const places = room.data() + lines;  // behind a row above all others, before one below
    std::fill_n(places + planes_.rows * lines, lines, none_below);
    for (std::int64_t row = 0; row < planes_.rows; ++row) {
      const auto down = [to = places + row * lines, above = places + (row - 1) * lines, rule = rule_,
                         here = static_cast<std::int32_t>(row)](std::int64_t i, const In& pixel) {
        const std::int32_t before = above[i];  // read in any case: else the loop is not vectorised
        to[i] = rule.lift(pixel) == 0 ? here : before;
      };
      over_row(planes_.place(plane, row, x), lines, down, in_);
    }
    std::int32_t* const below = places + planes_.rows * lines;
    for (std::int64_t row = planes_.rows - 1; row >= 0; --row) {
      choose(places + row * lines, below, static_cast<std::int32_t>(row), lines);
      take(places + row * lines, plane, row, x, lines);
    }
  }

 private:
  static constexpr std::int32_t none_above = -(1 << 30),
                                none_below = std::numeric_limits<std::int32_t>::max();

  /// Wide: a row of a narrow strip is no more than a small part of a page, and every row is another page.
  std::int64_t strip_for(int threads) const {
    const auto share = planes_.count >= threads ? planes_.width : (planes_.width + threads - 1) / threads;
    return std::min<std::int64_t>(1024, (share + 63) / 64 * 64);
  }

  /// The one above wins a tie: it is the first.
  static void choose(std::int32_t* places, std::int32_t* below, std::int32_t here, std::int64_t lines) {
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int32_t above = places[i], after = below[i], next = above == here ? here : after;
      below[i] = next;
      places[i] = here - above <= next - here ? above : next;
    }
  }

  void take(const std::int32_t* places, std::int64_t plane, std::int64_t row, std::int64_t x,
            std::int64_t lines) const {
    const Carried* const source = &carried_[planes_.place(plane, 0, x)];
    const auto step = step_along(planes_.axis, carried_), beside = carried_.step_x, rows = planes_.rows;
    const auto write = [=, nothing = nothing_](std::int64_t i, Carried& to) {
      const std::int64_t place = places[i];
      to = place >= 0 && place < rows ? source[place * step + i * beside] : nothing;
    };
    over_row(planes_.place(plane, row, x), lines, write, out_);
  }

  Rule rule_;
  line_planes planes_;
  Carried nothing_;
  view<Carried> out_;
  view<const In> in_;
  view<const Carried> carried_;
  std::int64_t strip_, strips_;
};

/// Where rounding has broken the order of places every pixel searches outwards by definition.
template <class Rule, class Carried, class In>
void run_carry(const job& work, const Rule& rule, line_axis axis, Carried nothing, const view<Carried>& out,
               const view<const In>& in, const view<const Carried>& carried) {
  using value = typename Rule::value;
  const int threads = threads_for(in.pixels(), work.how.threads);
  if constexpr (counts_steps<Rule>)
    if (site_strips<Rule, Carried, In>::suffice(rule, axis, in)) {
      const site_strips<Rule, Carried, In> strips(threads, rule, axis, nothing, out, in, carried);
      std::vector<std::vector<std::int32_t>> room(static_cast<std::size_t>(threads));
      return over_units(work, threads, strips.units(), 1, [&](int thread, std::int64_t unit) {
        strips.carry(unit, room[static_cast<std::size_t>(thread)]);
      });
    }
  const bool rows = axis == line_axis::x;
  const auto size = length_along(axis, in);
  const line_costs<Rule> costs(rule, size);
  if (!costs.ordered)
    return over_units(work, threads, in.depth * in.height, 1, [&](int, std::int64_t row) {
      for (site p{row / in.height, row % in.height, 0}; p.x < in.width; ++p.x)
        out[p] = carried_on_line(rule, axis, nothing, in, carried, p);
    });
  const std::int64_t most = rows ? 1 : std::min<std::int64_t>(16, in.width);
  const line_planes planes(axis, in);
  auto own = for_threads(threads, [&] {
    return carry_bundle<value>{{size, costs.ordered, most, beyond_limit(rule)},
                               std::vector<std::int64_t>(static_cast<std::size_t>(most * size))};
  });
  const auto bundles = rows ? in.height : (in.width + most - 1) / most;
  const auto units = (rows ? in.depth : planes.count) * bundles;
  over_units(work, threads, units, 1, [&](int thread, std::int64_t unit) {
    const auto x = unit % bundles * most;
    const site first = rows ? site{unit / bundles, unit % bundles, 0} : planes.place(unit / bundles, 0, x);
    carry_lines(rule, axis, first, rows ? 1 : std::min(most, in.width - x), costs,
                own[static_cast<std::size_t>(thread)], nothing, out, in, carried);
  });
}

}  // namespace macareu::cpu
