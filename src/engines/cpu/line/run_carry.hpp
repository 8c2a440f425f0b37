// carry on the cpu: the least values of a line as in run_line.hpp, then the places that give them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
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

/// Where rounding has broken the order of places every pixel searches outwards by definition.
template <class Rule, class Carried, class In>
void run_carry(const job& work, const Rule& rule, line_axis axis, Carried nothing, const view<Carried>& out,
               const view<const In>& in, const view<const Carried>& carried) {
  using value = typename Rule::value;
  const int threads = threads_for(in.pixels(), work.how.threads);
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
