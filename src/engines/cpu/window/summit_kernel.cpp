// A summit is a pixel with no neighbour further up. Adjacent summits have one value. A plateau is therefore
// an extremum unless it is undercut: a summit on it touches a pixel of the same value that is no summit. One
// pass over the rows finds summits and undercut summits.
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/wide.hpp"
#include "engines/cpu/runtime/shuffle.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/window/run_summits.hpp"
#include "engines/cpu/window/run_window.hpp"

namespace macareu::cpu {
namespace {

/// The lanes with an even index.
template <class Lane, int... Place>
[[gnu::always_inline]] inline vec<Lane> even_lanes(vec<Lane> low, vec<Lane> high,
                                                   std::integer_sequence<int, Place...>) {
  return shuffled<(2 * Place)...>(low, high);
}

/// Narrows the results of vector comparisons to bytes: each step turns two vectors into one with lanes half
/// as wide.
template <class Lane, std::size_t Count>
[[gnu::always_inline]] inline vec<std::int8_t> as_bytes(const std::array<vec<Lane>, Count>& holds) {
  if constexpr (Count == 1) {
    return holds[0];
  } else {
    using half = std::conditional_t<sizeof(Lane) == 8, std::int32_t,
                                    std::conditional_t<sizeof(Lane) == 4, std::int16_t, std::int8_t>>;
    std::array<vec<half>, Count / 2> halved;
    for (std::size_t i = 0; i < Count / 2; ++i)
      halved[i] = even_lanes<half>((vec<half>)holds[2 * i], (vec<half>)holds[2 * i + 1],
                                   std::make_integer_sequence<int, simd<half>::lanes>());
    return as_bytes<half>(halved);
  }
}

/// A row and the rows around it, each in the form that the neighbourhood needs. That is the pixels
/// themselves, or the furthest of each pixel and its two side neighbours. Deep: in a volume.
template <class T, bool Deep>
class rows_near {
 public:
  /// plain(dz, dy), sides(dz, dy): the rows there.
  template <class Plain, class Sides>
  [[gnu::always_inline]] rows_near(int reach, const Plain& plain, const Sides& sides) {
    int next = 0;
    for (int dz = -deep; dz <= deep; ++dz)
      for (int dy = -1; dy <= 1; ++dy) {
        const int axes = std::abs(dz) + std::abs(dy);
        row_[next++] = axes < reach ? sides(dz, dy) : axes == reach ? plain(dz, dy) : sides(0, 0);
      }
  }

  /// The furthest values near i, for a vector of places.
  [[gnu::always_inline]] vec<T> furthest(std::int64_t i) const {
    vec<T> best = load(row_[0] + i);
    for (int k = 1; k < count; ++k) best = greater(best, load(row_[k] + i));
    return best;
  }

 private:
  static constexpr int deep = Deep ? 1 : 0, count = Deep ? 9 : 3;
  const T* row_[count];
};

/// A strip of columns, processed row by row. Its private rows begin one column before the first.
template <class T, bool Deep>
class summit_strip {
 public:
  summit_strip(int reach, const view<const T>& image, const summit_keys<T>& keys, std::int64_t first,
               std::int64_t count)
      : reach_(reach),
        count_(count),
        pitch_(count + 2 + slack),
        lowest_(keys.lowest),
        rows_(image, {border_mode::nearest, T{}}, {2 * deep, 2, 2}, first, count, keys),
        sides_(room(5 * (4 * deep + 1))),
        others_(room(3 * (2 * deep + 1))),
        others_sides_(room(3 * (2 * deep + 1))) {}

  /// find() writes this many pixels at a time, so it may write past the last pixel.
  static constexpr std::int64_t block = simd<std::int8_t>::lanes;

  /// Writes 0 and 1 for a row: whether a pixel is a summit, and whether it touches a pixel of the same value
  /// that is no summit.
  void find(std::int64_t z, std::int64_t y, std::int8_t* summits, std::int8_t* undercut) {
    const bool next = z == z_ && y == y_ + 1;
    z_ = z;
    y_ = y;
    rows_.move_to(z, y);
    for (int dz = -2 * deep; dz <= 2 * deep; ++dz)
      for (int dy = next ? 2 : -2; dy <= 2; ++dy) write_sides(row(dz, dy), 0, sides(dz, dy));
    for (int dz = -deep; dz <= deep; ++dz)
      for (int dy = next ? 1 : -1; dy <= 1; ++dy) leave_summits_out(dz, dy);
    const rows_near<T, Deep> near(
        reach_, [&](int dz, int dy) { return others(dz, dy); },
        [&](int dz, int dy) { return others_sides(dz, dy); });
    const T *const all = row(0, 0), *const rest = others(0, 0);
    const auto count = count_;  // a local copy: stores cannot alias it
    for (std::int64_t first = 0; first < count; first += block) {
      std::array<vec<lane>, sizeof(T)> left_out, met;
#pragma GCC unroll 8  // so that they stay in registers
      for (std::size_t k = 0; k < sizeof(T); ++k) {
        const auto i = first + 1 + static_cast<std::int64_t>(k) * lanes;
        const vec<T> value = load(all + i);
        left_out[k] = value != load(rest + i);
        met[k] = value == near.furthest(i);
      }
      const vec<std::int8_t> here = as_bytes<lane>(left_out) & 1;
      store(summits + first, here);
      store(undercut + first, as_bytes<lane>(met) & here);
    }
  }

 private:
  static constexpr int deep = Deep ? 1 : 0, lanes = simd<T>::lanes;
  static constexpr std::int64_t slack = 64;
  using lane = std::remove_cvref_t<decltype((vec<T>{} == vec<T>{})[0])>;  // of a comparison

  std::vector<T> room(int rows) const { return std::vector<T>(static_cast<std::size_t>(pitch_ * rows)); }
  /// The offset of a row in a ring buffer.
  std::int64_t place(std::int64_t slice, int dy, int rows) const {
    return (slice * rows + (y_ + dy + rows) % rows) * pitch_;
  }
  const T* row(int dz, int dy) const { return rows_.rows()[(dz + 2 * deep) * 5 + dy + 2] - 1; }
  T* sides(int dz, int dy) { return sides_.data() + place(dz + 2 * deep, dy, 5); }
  T* others(int dz, int dy) { return others_.data() + place(dz + deep, dy, 3); }
  T* others_sides(int dz, int dy) { return others_sides_.data() + place(dz + deep, dy, 3); }

  /// From `first` on, where both side neighbours are known.
  void write_sides(const T* from, std::int64_t first, T* to) const {
    const auto end = count_ + 2 - first;
#pragma GCC unroll 4
    for (auto i = first; i < end; i += lanes)
      store(to + i, greater(greater(load(from + i - 1), load(from + i)), load(from + i + 1)));
  }

  /// Replaces summits by the lowest value. Pixels that already have it count as no summits. That is correct:
  /// they are no extrema, and an image of this value alone has none.
  void leave_summits_out(int dz, int dy) {
    const T* const from = row(dz, dy);
    const rows_near<T, Deep> near(
        reach_, [&](int ez, int ey) { return row(dz + ez, dy + ey); },
        [&](int ez, int ey) { return sides(dz + ez, dy + ey); });
    T* const to = others(dz, dy);
    const vec<T> back = all_lanes(lowest_);
    const auto end = count_ + 2;
#pragma GCC unroll 4
    for (std::int64_t i = 0; i < end; i += lanes) {
      const vec<T> value = load(from + i);
      store(to + i, value == near.furthest(i) ? back : value);
    }
    write_sides(to, 1, others_sides(dz, dy));
  }

  int reach_;
  std::int64_t count_, pitch_, z_ = -1, y_ = -2;
  T lowest_;
  near_rows<T, T, summit_keys<T>> rows_;
  std::vector<T> sides_, others_, others_sides_;
};

template <bool Deep, class T>
summits_found find_in(const job& work, int reach, const view<std::uint8_t>& summits,
                      const view<std::uint8_t>& undercut, const view<const T>& image,
                      const summit_keys<T>& keys) {
  std::atomic<bool> everywhere = true, some_undercut = false;
  over_bands(
      work, image,
      [&](std::int64_t z, std::int64_t top, std::int64_t bottom, std::int64_t first, std::int64_t count) {
        summit_strip<T, Deep> strip(reach, image, keys, first, count);
        const auto pitch = count + strip.block;
        std::vector<std::int8_t> found(static_cast<std::size_t>(2 * pitch));
        std::int8_t *const of_row = found.data(), *const below = of_row + pitch;
        std::int8_t all = 1, any = 0;
        for (auto y = top; y < bottom; ++y) {
          strip.find(z, y, of_row, below);
          for (std::int64_t i = 0; i < count; ++i) {
            all &= of_row[i];
            any |= below[i];
          }
          over_row(
              {z, y, first}, count,
              [&](std::int64_t i, std::uint8_t& to) { to = static_cast<std::uint8_t>(of_row[i]); }, summits);
          over_row(
              {z, y, first}, count,
              [&](std::int64_t i, std::uint8_t& to) { to = static_cast<std::uint8_t>(below[i]); }, undercut);
        }
        if (!all) everywhere.store(false, std::memory_order_relaxed);
        if (any) some_undercut.store(true, std::memory_order_relaxed);
      },
      tuning::summit_columns<T>);
  return {everywhere, some_undercut};
}

template <class T>
summits_found find(const job& work, const neighbourhood& near, const view<std::uint8_t>& summits,
                   const view<std::uint8_t>& undercut, const view<const T>& image,
                   const summit_keys<T>& keys) {
  if (near.rank == 3) return find_in<true>(work, near.reach, summits, undercut, image, keys);
  return find_in<false>(work, near.reach, summits, undercut, image, keys);
}

}  // namespace

constinit const summit_kernels own_summit_kernels{&find<std::uint8_t>, &find<std::uint16_t>,
                                                  &find<std::uint32_t>, &find<std::uint64_t>};

}  // namespace macareu::cpu
