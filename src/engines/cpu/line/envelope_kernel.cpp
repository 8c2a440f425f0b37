// Compiled once per instruction set (engines/cpu/runtime/simd.hpp).
//
// Blocks of 16 pixels search outwards. Runs of blocks for which that would take long use divide and conquer.
// The nearest place of a pixel lies between those of the pixels left and right of it. Each level of halving
// therefore visits each place about once. A block then searches only between the places of its ends.
//
// Floats: the place with the least exact sum is monotone, and no other has a lesser rounded sum. Rounding
// hides which place it is. It lies between the first and the last place with the least rounded sum, so these
// two bound the search on either side.
#include "engines/cpu/line/envelope.hpp"

#include <limits>

#include "core/ceil_div.hpp"
#include "engines/cpu/line/search_outwards.hpp"
#include "engines/cpu/runtime/simd.hpp"

namespace macareu::cpu {
namespace {

/// The places in first .. last with the least value for pixel x. Places beyond `last` are read as well, and
/// are at best equal. For integers one place is enough.
template <class Value, line_join Join>
nearest_places places_of(const envelope<Value>& e, std::int64_t x, std::int64_t first, std::int64_t last) {
  constexpr int lanes = simd<Value>::lanes;
  constexpr bool rounded = std::is_floating_point_v<Value>;
  vec<Value> best = all_lanes(std::numeric_limits<Value>::max()),
             place = all_lanes(static_cast<Value>(first)), latest = place, index = {};
  for (int lane = 0; lane < lanes; ++lane) index[lane] = static_cast<Value>(first + lane);
  for (std::int64_t j = first; j <= last; j += lanes, index += Value{lanes}) {
    const vec<Value> offer = with_cost<Join>(load(e.value + j), load(e.cost + (j - x)));
    place = offer < best ? index : place;
    if constexpr (rounded) latest = offer <= best ? index : latest;
    best = min(best, offer);
  }
  int least = 0;
  for (int lane = 1; lane < lanes; ++lane)
    if (best[lane] < best[least]) least = lane;
  const auto at = [&](Value found) { return min(static_cast<std::int64_t>(found), last); };
  nearest_places found{at(place[least]), at(place[least])};
  if constexpr (rounded) {
    for (int lane = 0; lane < lanes; ++lane) {
      if (best[lane] != best[least]) continue;
      found = {min(found.first, at(place[lane])), max(found.last, at(latest[lane]))};
    }
  }
  return found;
}

/// No place further from x than this improves on best[x], not even before rounding.
template <class Value>
std::int64_t reach_of(const envelope<Value>& e, std::int64_t x) {
  std::int64_t reach = far_steps;
  while (reach < e.size && e.cost[reach] <= e.best[x]) reach *= 2;
  return reach;
}

template <class Value, line_join Join>
void look_between(const envelope<Value>& e, std::int64_t x, std::int64_t first, std::int64_t last) {
  constexpr int lanes = simd<Value>::lanes, parts = envelope_block / lanes;
  vec<Value> best[parts];
  for (int i = 0; i < parts; ++i) best[i] = load(e.best + x + i * lanes);
  for (std::int64_t j = first; j <= last; ++j) {
    const vec<Value> value = all_lanes(e.value[j]);
    for (int i = 0; i < parts; ++i)
      best[i] = min(best[i], with_cost<Join>(value, load(e.cost + (x - j) + i * lanes)));
  }
  for (int i = 0; i < parts; ++i) store(e.best + x + i * lanes, best[i]);
}

/// Divide and conquer for the blocks from pixel `begin` to `end`.
template <class Value, line_join Join>
void conquer(const envelope<Value>& e, std::int64_t begin, std::int64_t end) {
  const std::int64_t blocks = ceil_div(end - begin, envelope_block);
  const auto find = [&](std::int64_t b, std::int64_t first, std::int64_t last) {
    e.nearest[b] = places_of<Value, Join>(e, min(begin + b * envelope_block, end - 1), first, last);
  };
  const std::int64_t before = begin - reach_of(e, begin), after = end - 1 + reach_of(e, end - 1);
  find(0, max(before, std::int64_t{0}), min(begin + (begin - before), e.size - 1));
  find(blocks, e.nearest[0].first, max(e.nearest[0].last, min(after, e.size - 1)));
  std::int64_t half = 1;
  while (half < blocks) half *= 2;
  while (half /= 2)
    for (std::int64_t b = half; b < blocks; b += 2 * half)
      find(b, e.nearest[b - half].first, e.nearest[min(b + half, blocks)].last);
  for (std::int64_t b = 0; b < blocks; ++b)
    look_between<Value, Join>(e, begin + b * envelope_block, e.nearest[b].first, e.nearest[b + 1].last);
}

/// The last block ends with the line and overlaps the previous one, so no block covers padding.
template <class Value, line_join Join>
void solve_line(const envelope<Value>& e) {
  std::int64_t begin = -1;  // first pixel of the blocks left for divide and conquer
  for (std::int64_t x = 0; x < e.size; x += envelope_block) {
    const std::int64_t at = max(min(x, e.size - envelope_block), std::int64_t{0});
    const bool done = search_outwards<Value, Join, envelope_block>(e, at);
    if (!done && begin < 0) begin = at;
    if (done && begin >= 0) conquer<Value, Join>(e, begin, x);
    if (done) begin = -1;
  }
  if (begin >= 0) conquer<Value, Join>(e, begin, e.size);
}

template <class Value>
void solve_line(line_join join, const envelope<Value>& e) {
  if (join == line_join::sum)
    solve_line<Value, line_join::sum>(e);
  else
    solve_line<Value, line_join::maximum>(e);
}

}  // namespace

const envelope_kernels own_envelope_kernels{&solve_line<std::uint32_t>, &solve_line<std::uint64_t>,
                                            &solve_line<double>};

}  // namespace macareu::cpu
