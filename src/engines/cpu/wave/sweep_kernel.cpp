// Compiled once per instruction set, which MACAREU_INSTRUCTION_SET names. Everything but the table at the end
// has internal linkage: a function that the linker could share with code for older processors would be a
// crash there.
//
// A step of a sweep, x -> min(max(x, a), b), is a clamp, and clamps compose to clamps:
//   (a2, b2) after (a1, b1)  =  (clamp2(a1), clamp2(b1)).
// So a whole row, where pixel i clamps what comes from its left by its own state and capacity, is a prefix
// scan: log2(lanes) steps per vector, and the bits are those of the plain loop. Most vectors need none: if
// one step from the left changes nothing, no number of steps does.
#include "engines/cpu/wave/sweep.hpp"

#include <cstring>
#include <utility>

namespace macareu::cpu {
namespace {

#if defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

template <class Key>
struct simd {
  static constexpr int lanes = vector_bytes / sizeof(Key);
  typedef Key type __attribute__((vector_size(vector_bytes)));
  typedef std::uint64_t words __attribute__((vector_size(vector_bytes)));
};
template <class Key>
using vec = typename simd<Key>::type;

template <class Key>
[[gnu::always_inline]] inline vec<Key> load(const Key* from) {
  vec<Key> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
template <class Key>
[[gnu::always_inline]] inline void store(Key* to, vec<Key> v) {
  std::memcpy(to, &v, sizeof v);
}
template <class V>
[[gnu::always_inline]] inline V min(V a, V b) {
  return a < b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V max(V a, V b) {
  return a > b ? a : b;
}
template <class V>
[[gnu::always_inline]] inline V clamp(V x, V low, V high) {
  return min(max(x, low), high);
}

template <class Key>
[[gnu::always_inline]] inline bool any(vec<Key> v) {
  const auto words = (typename simd<Key>::words)v;
  std::uint64_t all = words[0] | words[1];
  if constexpr (vector_bytes == 32) all |= words[2] | words[3];
  return all != 0;
}

/// Lanes i .. i + lanes - 1 of the 2 * lanes values of `low` and `high` in a row.
template <class Key, int First, int... Lane>
[[gnu::always_inline]] inline vec<Key> window_of(vec<Key> low, vec<Key> high,
                                                 std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(low, high, (First + Lane)...);
}
template <class Key, int First>
[[gnu::always_inline]] inline vec<Key> window_of(vec<Key> low, vec<Key> high) {
  return window_of<Key, First>(low, high, std::make_integer_sequence<int, simd<Key>::lanes>{});
}

/// Which way a row is swept. `follow` moves every lane one towards the end of the sweep and lets the carry
/// in.
struct forward {
  template <class Key>
  static constexpr int last = simd<Key>::lanes - 1;
  template <class Key, int By>
  [[gnu::always_inline]] static inline vec<Key> follow(vec<Key> carry, vec<Key> v) {
    return window_of<Key, simd<Key>::lanes - By>(carry, v);
  }
  static int block(int i, int, int) { return i; }
  static constexpr int sign = 1;
};
struct backward {
  template <class Key>
  static constexpr int last = 0;
  template <class Key, int By>
  [[gnu::always_inline]] static inline vec<Key> follow(vec<Key> carry, vec<Key> v) {
    return window_of<Key, By>(v, carry);
  }
  static int block(int i, int width, int lanes) { return width - lanes - i; }
  static constexpr int sign = -1;
};

template <class Key, class Way, int By>
[[gnu::always_inline]] inline void scan_steps(vec<Key>& a, vec<Key>& b) {
  if constexpr (By < simd<Key>::lanes) {
    const vec<Key> lowest = {}, highest = ~lowest;
    const vec<Key> a1 = Way::template follow<Key, By>(lowest, a),
                   b1 = Way::template follow<Key, By>(highest, b);
    const vec<Key> composed = clamp(a1, a, b);
    b = clamp(b1, a, b);
    a = composed;
    scan_steps<Key, Way, 2 * By>(a, b);
  }
}

template <class Key>
[[gnu::always_inline]] inline vec<Key> all_lanes(Key value) {
  return vec<Key>{} + value;
}

/// What rows above (in sweep order) offer to the pixels at x: of the first Faces rows the pixel itself, of
/// the other rows the three nearest.
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

template <class Key, class Way, int Faces, int Wides>
bool sweep_row(Key* state, const Key* capacity, const Key* const* sources, int width) {
  constexpr int lanes = simd<Key>::lanes;
  vec<Key> changes = {};
  vec<Key> carry = all_lanes(Way::sign > 0 ? state[-1] : state[width]);
  for (int i = 0; i < width; i += lanes) {
    const int x = Way::block(i, width, lanes);
    const vec<Key> before = load(state + x), limit = load(capacity + x);
    vec<Key> a = min(max(before, offers<Key, Faces, Wides>(sources, x)), limit);
    const vec<Key> step = clamp(Way::template follow<Key, 1>(carry, a), a, limit);
    if (any<Key>(step ^ a)) {
      vec<Key> b = limit;
      scan_steps<Key, Way, 1>(a, b);
      a = clamp(carry, a, b);
    }
    carry = all_lanes(a[Way::template last<Key>]);
    changes |= a ^ before;
    store(state + x, a);
  }
  return any<Key>(changes);
}

/// The rows a pixel's offers come from, relative to its own, for a forward pass; a backward pass has the
/// negatives.
struct row_offsets {
  int rows[4];
  int count;
};

row_offsets offsets_of(bool volume, int reach, int slice) {
  if (!volume) return {{-1}, 1};
  if (reach == 1) return {{-1, -slice}, 2};
  if (reach == 2) return {{-slice - 1, -slice + 1, -1, -slice}, 4};  // face-like rows first
  return {{-1, -slice - 1, -slice, -slice + 1}, 4};
}

template <class Key, class Way, int Faces, int Wides>
bool pass(tile<Key>& t, const row_offsets& offsets) {
  constexpr bool onward = Way::sign > 0;
  std::uint8_t* const due = onward ? t.due_forward : t.due_backward;
  std::uint8_t* const due_back = onward ? t.due_backward : t.due_forward;
  const int slice = t.height + 2;
  bool any_row = false;
  for (int i = 0; i < t.depth; ++i)
    for (int k = 0; k < t.height; ++k) {
      const int z = onward ? i : t.depth - 1 - i, y = onward ? k : t.height - 1 - k;
      const int row = (z + 1) * slice + y + 1;
      if (!due[row]) continue;
      due[row] = 0;
      any_row = true;
      if (!t.loaded[row]) t.load(t.owner, row);
      const Key* sources[4];
      for (int s = 0; s < Faces + Wides; ++s) {
        const int source = row + Way::sign * offsets.rows[s];
        if (!t.loaded[source]) t.load(t.owner, source);
        sources[s] = t.state + source * t.pitch;
      }
      ++t.rows_swept;
      if (!sweep_row<Key, Way, Faces, Wides>(t.state + row * t.pitch, t.capacity + row * t.pitch, sources,
                                             t.width))
        continue;
      t.changed[row] = 1;
      due_back[row] = 1;
      for (int s = 0; s < Faces + Wides; ++s) {
        due[row - Way::sign * offsets.rows[s]] = 1;
        due_back[row + Way::sign * offsets.rows[s]] = 1;
      }
    }
  t.passes += any_row;
  return any_row;
}

template <class Key, int Faces, int Wides>
void sweep_until_stable(tile<Key>& t) {
  const auto offsets = offsets_of(t.volume, t.reach, t.height + 2);
  bool more = true;
  while (more) {
    more = pass<Key, forward, Faces, Wides>(t, offsets);
    more = pass<Key, backward, Faces, Wides>(t, offsets) || more;
  }
}

template <class Key>
void sweep_tile(tile<Key>& t) {
  if (!t.volume) return t.reach == 1 ? sweep_until_stable<Key, 1, 0>(t) : sweep_until_stable<Key, 0, 1>(t);
  if (t.reach == 1) return sweep_until_stable<Key, 2, 0>(t);
  if (t.reach == 2) return sweep_until_stable<Key, 2, 2>(t);
  return sweep_until_stable<Key, 0, 4>(t);
}

}  // namespace

extern const sweep_kernels MACAREU_SWEEP_KERNELS;
const sweep_kernels MACAREU_SWEEP_KERNELS{MACAREU_INSTRUCTION_SET, &sweep_tile<std::uint8_t>,
                                          &sweep_tile<std::uint16_t>, &sweep_tile<std::uint32_t>,
                                          &sweep_tile<std::uint64_t>};

}  // namespace macareu::cpu
