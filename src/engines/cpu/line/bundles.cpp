#include "engines/cpu/line/bundles.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/line/envelope.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {
namespace {

using tuning::lines_side_by_side;

/// Whether the best places are monotone. For integers the pattern guarantees it. For floats it holds where
/// rounding left the costs convex. The differences are exact: from the third cost on, each is less than twice
/// the previous one.
template <class Value>
bool keeps_places_in_order(const line_problem<Value>& problem, std::int64_t size) {
  if (std::is_integral_v<Value> || problem.join == line_join::maximum) return true;
  const auto& cost = problem.cost;
  for (std::int64_t k = 1; k + 1 < size; ++k)
    if (!(cost(k + 1) - cost(k) > cost(k) - cost(k - 1))) return false;
  return true;
}

template <class Value>
struct line_costs {
  line_costs(const line_problem<Value>& problem, std::int64_t size)
      : ordered(keeps_places_in_order(problem, size)),
        middle(size + envelope_margin(size, ordered)),
        costs(static_cast<std::size_t>(2 * middle + 1)) {
    for (std::int64_t k = 0; k <= middle; ++k)
      costs[static_cast<std::size_t>(middle - k)] = costs[static_cast<std::size_t>(middle + k)] =
          problem.cost(std::min(k, size - 1));
  }
  const Value* data() const { return costs.data() + middle; }

  bool ordered;
  std::int64_t middle;
  std::vector<Value> costs;
};

/// Thread-private memory for the lines of a bundle.
template <class Value>
class bundle_memory {
 public:
  bundle_memory(std::int64_t size, bool ordered, std::int64_t lines, Value beyond)
      : margin_(envelope_margin(size, ordered)),
        pitch_(size + 2 * margin_),
        values_(static_cast<std::size_t>(lines * pitch_), beyond),
        best_(static_cast<std::size_t>(lines * pitch_)),
        nearest_(static_cast<std::size_t>(size / envelope_block + 2)) {}

  Value* value(std::int64_t line) { return values_.data() + line * pitch_ + margin_; }
  Value* best(std::int64_t line) { return best_.data() + line * pitch_; }
  nearest_places* nearest() { return nearest_.data(); }
  std::int64_t pitch() const { return pitch_; }

  std::vector<std::int64_t> places;  // used by carry_lines only

 private:
  std::int64_t margin_, pitch_;
  std::vector<Value> values_, best_;
  std::vector<nearest_places> nearest_;
};

template <class Value>
void scan(Value step, const envelope<Value>& e) {
  e.best[0] = e.value[0];
  for (std::int64_t i = 1; i < e.size; ++i)
    e.best[i] = std::min<Value>(e.value[i], static_cast<Value>(e.best[i - 1] + step));
  for (std::int64_t i = e.size - 2; i >= 0; --i)
    e.best[i] = std::min<Value>(e.best[i], static_cast<Value>(e.best[i + 1] + step));
}

/// visit(bundle, its memory, line, envelope of a solved line), then end(bundle, its memory).
template <class Value, class Visit, class End>
void over_bundles(const job& work, int threads, const line_grid& grid, const line_problem<Value>& problem,
                  const line_costs<Value>& costs, const Visit& visit, const End& end) {
  const auto size = grid.size();
  std::vector<bundle_memory<Value>> own;
  own.reserve(static_cast<std::size_t>(threads));
  for (int thread = 0; thread < threads; ++thread)
    own.emplace_back(size, costs.ordered, grid.most_lines(), problem.beyond);
  const auto batch = grid.axis == line_axis::x
                         ? std::max<std::int64_t>(1, tuning::pixels_claimed / std::max<std::int64_t>(size, 1))
                         : 1;
  over_units(work, threads, grid.bundles(), batch, [&](int thread, std::int64_t unit) {
    auto& mine = own[static_cast<std::size_t>(thread)];
    const auto bundle = grid.bundle(unit);
    problem.lift(bundle, mine.value(0), mine.pitch());
    for (std::int64_t line = 0; line < bundle.lines; ++line) {
      const envelope<Value> e{size,          mine.value(line), costs.data(),  costs.ordered,
                              problem.limit, mine.best(line),  mine.nearest()};
      if constexpr (std::is_same_v<Value, std::uint16_t>)
        scan(problem.cost(1), e);  // only step counts are u16
      else if (problem.linear)
        scan(problem.cost(1), e);
      else
        solve(problem.join, e);
      visit(mine, line, e);
    }
    end(bundle, mine);
  });
}

/// A place whose value exceeds the best of a pixel by more than this is never the best of a later pixel,
/// whatever the rounding.
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

/// The first best place is monotone too, so one walk over the line finds all. Rounded sums break this only
/// among places within the gap, which are searched again. place(i) is -1 where the value exceeds the limit.
template <class Value>
void find_places(line_join join, const envelope<Value>& e, std::int64_t* place) {
  const auto own = e;  // a copy: `place` may alias the reference
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

}  // namespace

std::int64_t line_grid::most_lines() const {
  return axis == line_axis::x ? 1 : std::min(lines_side_by_side, width);
}

std::int64_t line_grid::bundles() const {
  if (axis == line_axis::x) return depth * height;
  return (axis == line_axis::z ? height : depth) * ceil_div(width, lines_side_by_side);
}

line_bundle line_grid::bundle(std::int64_t index) const {
  if (axis == line_axis::x) return {axis, {index / height, index % height, 0}, 1, width};
  const auto in_plane = ceil_div(width, lines_side_by_side);
  const auto plane = index / in_plane, x = index % in_plane * lines_side_by_side;
  const site first = axis == line_axis::z ? site{0, plane, x} : site{plane, 0, x};
  return {axis, first, std::min(lines_side_by_side, width - x), size()};
}

template <class Value>
void solve_lines(const job& work, int threads, const line_grid& grid, const line_problem<Value>& problem,
                 function_ref<void(const line_bundle&, const Value*, std::int64_t)> finish) {
  const line_costs<Value> costs(problem, grid.size());
  over_bundles(
      work, threads, grid, problem, costs, [](bundle_memory<Value>&, std::int64_t, const envelope<Value>&) {},
      [&](const line_bundle& bundle, bundle_memory<Value>& mine) {
        finish(bundle, mine.best(0), mine.pitch());
      });
}

template <class Value>
void carry_lines(const job& work, int threads, const line_grid& grid, const line_problem<Value>& problem,
                 function_ref<std::int64_t(site)> place_of, const carried_pixels& carried) {
  const auto size = grid.size();
  const line_costs<Value> costs(problem, size);
  if (!costs.ordered)
    return over_units(work, threads, grid.depth * grid.height, 1, [&](int, std::int64_t row) {
      for (site p{row / grid.height, row % grid.height, 0}; p.x < grid.width; ++p.x)
        std::visit([&](const auto& pixels) { pixels.copy_pixel(grid.axis, p, place_of(p)); }, carried);
    });
  over_bundles(
      work, threads, grid, problem, costs,
      [&](bundle_memory<Value>& mine, std::int64_t line, const envelope<Value>& e) {
        mine.places.resize(static_cast<std::size_t>(grid.most_lines() * size));
        find_places(problem.join, e, mine.places.data() + line * size);
      },
      [&](const line_bundle& bundle, bundle_memory<Value>& mine) {
        std::visit([&](const auto& pixels) { pixels.copy_lines(bundle, mine.places.data()); }, carried);
      });
}

template void solve_lines(const job&, int, const line_grid&, const line_problem<std::uint32_t>&,
                          function_ref<void(const line_bundle&, const std::uint32_t*, std::int64_t)>);
template void solve_lines(const job&, int, const line_grid&, const line_problem<std::uint64_t>&,
                          function_ref<void(const line_bundle&, const std::uint64_t*, std::int64_t)>);
template void solve_lines(const job&, int, const line_grid&, const line_problem<double>&,
                          function_ref<void(const line_bundle&, const double*, std::int64_t)>);
template void carry_lines(const job&, int, const line_grid&, const line_problem<std::uint16_t>&,
                          function_ref<std::int64_t(site)>, const carried_pixels&);
template void carry_lines(const job&, int, const line_grid&, const line_problem<std::uint32_t>&,
                          function_ref<std::int64_t(site)>, const carried_pixels&);
template void carry_lines(const job&, int, const line_grid&, const line_problem<std::uint64_t>&,
                          function_ref<std::int64_t(site)>, const carried_pixels&);
template void carry_lines(const job&, int, const line_grid&, const line_problem<double>&,
                          function_ref<std::int64_t(site)>, const carried_pixels&);

}  // namespace macareu::cpu
