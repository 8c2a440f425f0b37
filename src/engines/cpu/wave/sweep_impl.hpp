// Compiled once per instruction set, by narrow_keys.cpp and wide_keys.cpp. All has internal linkage.
// Otherwise the linker could merge a function into the code for older processors, which would crash there.
//
// A step of a sweep, x -> min(max(x, a), b), is a clamp, and clamps compose to clamps:
//   (a2, b2) after (a1, b1)  =  (clamp2(a1), clamp2(b1)).
// A whole row is therefore a prefix scan: pixel i clamps the value from its left by its own state and
// capacity. It takes log2(lanes) steps per vector, and the result equals that of the plain loop. Most vectors
// need no scan: if one step from the left changes nothing, no number of steps does.
#pragma once

#include <bit>
#include <utility>

#include "engines/cpu/runtime/shuffle.hpp"
#include "engines/cpu/runtime/simd.hpp"
#include "engines/cpu/wave/sweep.hpp"

namespace macareu::cpu {
namespace {

template <class V>
[[gnu::always_inline]] inline V clamp(V x, V low, V high) {
  return min(max(x, low), high);
}

/// Lanes i .. i + lanes - 1 of the 2 * lanes values of `low` and `high` in a row.
template <class Key, int First, int... Lane>
[[gnu::always_inline]] inline vec<Key> window_of(vec<Key> low, vec<Key> high,
                                                 std::integer_sequence<int, Lane...>) {
  return shuffled<(First + Lane)...>(low, high);
}
template <class Key, int First>
[[gnu::always_inline]] inline vec<Key> window_of(vec<Key> low, vec<Key> high) {
  return window_of<Key, First>(low, high, std::make_integer_sequence<int, simd<Key>::lanes>{});
}

/// One step of a prefix scan over clamps: lane i composes with lane i - By (or i + By). Outside the vector is
/// the identity, the clamp to the full range.
template <class Key, int By>
[[gnu::always_inline]] inline void scan_rightwards(vec<Key>& a, vec<Key>& b) {
  if constexpr (By < simd<Key>::lanes) {
    const vec<Key> lowest = {}, highest = ~lowest;
    const vec<Key> a1 = window_of<Key, simd<Key>::lanes - By>(lowest, a);
    const vec<Key> b1 = window_of<Key, simd<Key>::lanes - By>(highest, b);
    const vec<Key> composed = clamp(a1, a, b);
    b = clamp(b1, a, b);
    a = composed;
    scan_rightwards<Key, 2 * By>(a, b);
  }
}
template <class Key, int By>
[[gnu::always_inline]] inline void scan_leftwards(vec<Key>& a, vec<Key>& b) {
  if constexpr (By < simd<Key>::lanes) {
    const vec<Key> lowest = {}, highest = ~lowest;
    const vec<Key> a1 = window_of<Key, By>(a, lowest), b1 = window_of<Key, By>(b, highest);
    const vec<Key> composed = clamp(a1, a, b);
    b = clamp(b1, a, b);
    a = composed;
    scan_leftwards<Key, 2 * By>(a, b);
  }
}

/// The best value that the rows above (in the order of the pass) propagate to the pixels at x. The first
/// Faces rows contribute one pixel each, the others the three nearest.
template <class Key, int Faces, int Wides>
[[gnu::always_inline]] inline vec<Key> offers(const Key* const* sources, int x) {
  vec<Key> best = {};
  for (int i = 0; i < Faces; ++i) best = max(best, load(sources[i] + x));
  for (int i = Faces; i < Faces + Wides; ++i) {
    const Key* row = sources[i] + x;
    best = max(best, max(load(row), max(load(row - 1), load(row + 1))));
  }
  return best;
}

/// Propagates the values from the left and the right through all lanes. On a line, one scan each way is
/// exact.
template <class Key>
[[gnu::noinline]] vec<Key> close_vector(vec<Key> a, vec<Key> limit, Key from_left, Key from_right) {
  vec<Key> b = limit;
  scan_rightwards<Key, 1>(a, b);
  a = clamp(all_lanes(from_left), a, b);
  b = limit;
  scan_leftwards<Key, 1>(a, b);
  return clamp(all_lanes(from_right), a, b);
}

/// Propagates along a row until stable. Bits of `open` are vectors in which a pixel can raise its neighbour.
/// A vector whose end rises may open the next one. A tile is at most 64 vectors wide.
template <class Key>
void close_row(Key* state, const Key* capacity, int vectors, std::uint64_t open) {
  constexpr int lanes = simd<Key>::lanes;
  while (open != 0) {
    const int k = __builtin_ctzll(open), x = k * lanes, end = x + lanes;
    open &= open - 1;
    const vec<Key> closed = close_vector<Key>(load(state + x), load(capacity + x), state[x - 1], state[end]);
    store(state + x, closed);
    // Branch-free: whether a neighbour opens is unpredictable.
    const bool left = (k > 0) & (state[x - 1] < closed[0]) & (state[x - 1] < capacity[x - 1]);
    const bool right = (k + 1 < vectors) & (state[end] < closed[lanes - 1]) & (state[end] < capacity[end]);
    open |= (std::uint64_t{left} << k >> 1) | (std::uint64_t{right} << k << 1);
  }
}

/// The same for rows where most vectors are open: one scan each way over all of them. Scans of vectors do not
/// wait for each other, only their ends do.
template <class Key>
void close_whole_row(Key* state, const Key* capacity, int width) {
  constexpr int lanes = simd<Key>::lanes;
  for (int x = 0; x < width; x += lanes) {
    vec<Key> a = load(state + x), b = load(capacity + x);
    scan_rightwards<Key, 1>(a, b);
    store(state + x, clamp(all_lanes(state[x - 1]), a, b));
  }
  for (int x = width - lanes; x >= 0; x -= lanes) {
    vec<Key> a = load(state + x), b = load(capacity + x);
    scan_leftwards<Key, 1>(a, b);
    store(state + x, clamp(all_lanes(state[x + lanes]), a, b));
  }
}

/// Propagates from the source rows, then along the row. Returns whether it changed.
template <class Key, int Faces, int Wides>
[[gnu::always_inline]] inline bool relax_row(Key* state, const Key* capacity, const Key* const* sources,
                                             int width) {
  constexpr int lanes = simd<Key>::lanes;
  vec<Key> changes = {};
  const auto raised = [&](int x) __attribute__((always_inline)) {
    const vec<Key> before = load(state + x);
    const vec<Key> after = min(max(before, offers<Key, Faces, Wides>(sources, x)), load(capacity + x));
    changes |= after ^ before;
    store(state + x, after);
    return after;
  };
  // A vector is tested one step late, after its right neighbour is updated too.
  vec<Key> previous = all_lanes(state[-1]), current = raised(0);
  const vec<Key> beyond = all_lanes(state[width]);
  std::uint64_t open = 0;
  for (int x = 0, k = 0; x < width; x += lanes, ++k) {
    const vec<Key> next = x + lanes < width ? raised(x + lanes) : beyond;
    const vec<Key> beside =
        max(window_of<Key, lanes - 1>(previous, current), window_of<Key, 1>(current, next));
    const vec<Key> step = clamp(beside, current, load(capacity + x));
    open |= static_cast<std::uint64_t>(any<Key>(step ^ current)) << k;
    previous = current;
    current = next;
  }
  if (2 * std::popcount(open) > width / lanes)
    close_whole_row<Key>(state, capacity, width);
  else if (open != 0)
    close_row<Key>(state, capacity, width / lanes, open);
  return open != 0 || any<Key>(changes);
}

/// The source rows of a pixel, relative to its own, in a forward pass. A backward pass has the negatives.
struct row_offsets {
  int rows[4];
  int count;
};

row_offsets offsets_of(bool volume, int reach, int slice) {
  if (!volume) return {{-1}, 1};
  if (reach == 1) return {{-1, -slice}, 2};
  if (reach == 2) return {{-slice - 1, -slice + 1, -1, -slice}, 4};  // the Faces rows first
  return {{-1, -slice - 1, -slice, -slice + 1}, 4};
}

/// A pass over the rows that are due, downwards (Sign 1) or upwards (-1).
template <class Key, int Sign, int Faces, int Wides>
bool pass(tile<Key>& t, const row_offsets& offsets) {
  constexpr bool onward = Sign > 0;
  std::uint8_t* const due = onward ? t.due_forward : t.due_backward;
  std::uint8_t* const due_back = onward ? t.due_backward : t.due_forward;
  const int slice = t.height + 2;
  bool any_row = false;
  for (int i = 0; i < t.depth; ++i)
    for (int k = 0; k < t.height; ++k) {
      const int z = onward ? i : t.depth - 1 - i, y = onward ? k : t.height - 1 - k;
      const int row = (z + 1) * slice + y + 1;
      if (!due[row]) continue;
      if (t.rows_swept >= t.rows_limit) return true;  // this row stays due
      due[row] = 0;
      any_row = true;
      if (!t.loaded[row]) t.load(t.owner, row);
      const Key* sources[4];
      for (int s = 0; s < Faces + Wides; ++s) {
        const int source = row + Sign * offsets.rows[s];
        if (!t.loaded[source]) t.load(t.owner, source);
        sources[s] = t.state + source * t.pitch;
      }
      ++t.rows_swept;
      if (!relax_row<Key, Faces, Wides>(t.state + row * t.pitch, t.capacity + row * t.pitch, sources,
                                        t.width))
        continue;
      t.changed[row] = 1;
      for (int s = 0; s < Faces + Wides; ++s) {
        due[row - Sign * offsets.rows[s]] = 1;
        due_back[row + Sign * offsets.rows[s]] = 1;
      }
    }
  t.passes += any_row;
  return any_row;
}

template <class Key, int Faces, int Wides>
bool sweep_until_stable(tile<Key>& t) {
  const auto offsets = offsets_of(t.volume, t.reach, t.height + 2);
  bool more = true;
  while (more && t.rows_swept < t.rows_limit) {
    more = pass<Key, 1, Faces, Wides>(t, offsets);
    more = pass<Key, -1, Faces, Wides>(t, offsets) || more;
  }
  return !more;
}

/// The best value for the pixels at x from the source rows of the directions in which a row is due.
template <class Key, int Faces, int Wides>
class due_offers {
 public:
  due_offers(tile<Key>& t, const row_offsets& offsets, int row)
      : forward_(t.due_forward[row] != 0), backward_(t.due_backward[row] != 0) {
    for (int s = 0; s < Faces + Wides; ++s) {
      if (forward_) above_[s] = loaded(t, row + offsets.rows[s]);
      if (backward_) below_[s] = loaded(t, row - offsets.rows[s]);
    }
  }
  vec<Key> at(int x) const {
    vec<Key> best = {};
    if (forward_) best = offers<Key, Faces, Wides>(above_, x);
    if (backward_) best = max(best, offers<Key, Faces, Wides>(below_, x));
    return best;
  }

 private:
  static const Key* loaded(tile<Key>& t, int row) {
    if (!t.loaded[row]) t.load(t.owner, row);
    return t.state + row * t.pitch;
  }
  bool forward_, backward_;
  const Key* above_[Faces + Wides];
  const Key* below_[Faces + Wides];
};

template <class Key, int Faces, int Wides>
int raisable_in(tile<Key>& t, raised_pixel<Key>* found, int most) {
  constexpr int lanes = simd<Key>::lanes;
  const auto offsets = offsets_of(t.volume, t.reach, t.height + 2);
  int count = 0;
  for (int z = 0; z < t.depth; ++z)
    for (int y = 0; y < t.height; ++y) {
      const int row = (z + 1) * (t.height + 2) + y + 1;
      if (!t.due_forward[row] && !t.due_backward[row]) continue;
      if (!t.loaded[row]) t.load(t.owner, row);
      const due_offers<Key, Faces, Wides> sources(t, offsets, row);
      const Key* state = t.state + row * t.pitch;
      for (int x = 0; x < t.width; x += lanes) {
        const vec<Key> before = load(state + x);
        const vec<Key> beside = max(load(state + x - 1), load(state + x + 1));
        const vec<Key> after =
            clamp(max(beside, sources.at(x)), before, load(t.capacity + row * t.pitch + x));
        if (!any<Key>(after ^ before)) continue;
        for (int lane = 0; lane < lanes; ++lane) {
          if (after[lane] == before[lane]) continue;
          if (count == most) return -1;
          found[count++] = {{static_cast<std::int16_t>(z), static_cast<std::int16_t>(y),
                             static_cast<std::int16_t>(x + lane)},
                            after[lane]};
        }
      }
    }
  return count;
}

template <class Key, int Faces, int Wides>
struct of_sources {
  static bool sweep(tile<Key>& t) { return sweep_until_stable<Key, Faces, Wides>(t); }
  static int find_raisable(tile<Key>& t, raised_pixel<Key>* found, int most) {
    return raisable_in<Key, Faces, Wides>(t, found, most);
  }
};

/// use(of_sources) with the number of source rows of the tile's neighbourhood.
template <class Key, class Use>
auto with_sources(const tile<Key>& t, Use&& use) {
  if (!t.volume) return t.reach == 1 ? use(of_sources<Key, 1, 0>{}) : use(of_sources<Key, 0, 1>{});
  if (t.reach == 1) return use(of_sources<Key, 2, 0>{});
  if (t.reach == 2) return use(of_sources<Key, 2, 2>{});
  return use(of_sources<Key, 0, 4>{});
}

template <class Key>
bool sweep_tile(tile<Key>& t) {
  return with_sources(t, [&](auto kernel) { return kernel.sweep(t); });
}
template <class Key>
int find_raisable(tile<Key>& t, raised_pixel<Key>* found, int most) {
  return with_sources(t, [&](auto kernel) { return kernel.find_raisable(t, found, most); });
}
template <class Key>
constexpr sweep_kernel<Key> own_sweep_kernel{&sweep_tile<Key>, &find_raisable<Key>};

}  // namespace
}  // namespace macareu::cpu
