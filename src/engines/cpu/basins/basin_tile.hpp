// One tile of a watershed (patterns/basins.hpp), with the pixels around it, in the memory of one thread: the
// steps d inside the tile, parents, and the ends of paths along them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cpu/runtime/bit_rows.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "patterns/basins.hpp"

namespace macareu::cpu {

/// Prefetches part of a row: those of a tile lie too far apart for the processor to do it. Inlined, because a
/// compiler may drop calls of a function whose only effect is a prefetch.
template <class T>
[[gnu::always_inline]] inline void fetch_row(const T* row, std::int64_t count) {
  for (std::int64_t x = 0; x < count; x += 64 / sizeof(T)) __builtin_prefetch(row + x);
}
template <class T>
[[gnu::always_inline]] inline void fetch_row_to_write(T* row, std::int64_t count) {
  for (std::int64_t x = 0; x < count; x += 64 / sizeof(T)) __builtin_prefetch(row + x, 1);
}

/// visit(x) for the bits of a row.
template <class Visit>
void for_each_bit(const bit_word* row, std::int64_t words, Visit&& visit) {
  for (std::int64_t word = 0; word < words; ++word)
    for (auto bits = row[word]; bits != 0; bits &= bits - 1) visit(word * word_bits + std::countr_zero(bits));
}

template <class Key>
class basin_tile {
 public:
  explicit basin_tile(const neighbourhood& near)
      : order_(near), volume_(near.rank == 3), full_(near.reach >= near.rank) {}

  /// Sets the place of the tile in views of this size. Their rows are contiguous.
  void move_to(const tile_place& place, site views);
  /// Whether no pixel of the tile is inside the mask.
  bool is_outside(const view<const std::uint32_t>& seeds) const;
  /// L of the tile and of the pixels around it, as far as the view reaches.
  void load_passes(const view<const Key>& passes);
  /// The index of a pixel of the tile, or of one beside it. Indices grow in raster order.
  std::uint32_t at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<std::uint32_t>(((z + volume_) * rows_ + y + 1) * pitch_ + x + 1);
  }
  /// The pixel of an index, relative to the tile.
  site site_of(std::uint32_t at) const {
    const auto row = at / static_cast<std::uint32_t>(pitch_);
    return {row / static_cast<std::uint32_t>(rows_) - std::int64_t{volume_},
            row % static_cast<std::uint32_t>(rows_) - std::int64_t{1},
            at % static_cast<std::uint32_t>(pitch_) - std::int64_t{1}};
  }
  bool contains(site p) const {
    return p.z >= 0 && p.z < place_.depth && p.y >= 0 && p.y < place_.height && p.x >= 0 &&
           p.x < place_.width;
  }
  Key pass(std::uint32_t at) const { return pass_[at]; }

  /// d is at most `steps` at a pixel of the tile. For the next solve().
  void offer(std::uint32_t at, std::uint32_t steps) { offers_.push_back({steps, at}); }
  /// d of paths inside the tile, from its entries and the offers; never around it.
  void solve(const view<const std::uint32_t>& seeds);
  /// d of the tile and of the pixels around it, from an image like that of L.
  void load_steps(const view<const std::uint32_t>& steps);
  std::uint32_t& steps(std::uint32_t at) { return steps_[at]; }

  /// Parents, from d of the tile and of the pixels around it. `direction` is an index of tie_order; is_end at
  /// seeds, where no seed reaches, and beside the tile; is_none outside the mask.
  void find_parents(const view<const std::uint32_t>& seeds);
  static constexpr std::uint8_t is_end = 26, is_none = 28;
  std::uint8_t& direction(std::uint32_t at) { return direction_[at]; }

  /// The last pixel of the path of parents: a pixel beside the tile, or one in it that has no parent.
  /// Directions on the path are lost.
  std::uint32_t end_of(std::uint32_t at);

  /// label() of all pixels of the tile, from the labels around it and the directions in it.
  void follow_parents(const view<const std::uint32_t>& seeds);
  std::uint32_t& label(std::uint32_t at) { return value_[at]; }

  const tile_place& place() const { return place_; }
  /// visit(first, length), relative to the tile, for the pixels of the view around it: runs along x, which
  /// end where another tile begins.
  template <class Visit>
  void for_each_run_around(Visit&& visit) const {
    for (std::int64_t z = low_.z; z < high_.z; ++z)
      for (std::int64_t y = low_.y; y < high_.y; ++y) {
        const bool beside = z < 0 || z >= place_.depth || y < 0 || y >= place_.height;
        if (low_.x < 0) visit(site{z, y, -1}, std::int64_t{1});
        if (beside) visit(site{z, y, 0}, std::int64_t{place_.width});
        if (high_.x > place_.width) visit(site{z, y, place_.width}, std::int64_t{1});
      }
  }
  /// visit(z, y, x) for every one of them.
  template <class Visit>
  void for_each_around(Visit&& visit) const {
    for_each_run_around([&](site p, std::int64_t length) {
      for (std::int64_t i = 0; i < length; ++i) visit(p.z, p.y, p.x + i);
    });
  }

 private:
  static constexpr Key top = static_cast<Key>(~Key{0});
  static constexpr std::uint32_t unresolved = basin::outside;  // of labels
  static constexpr std::uint8_t is_known = 27;                 // of directions: value_ has the end
  /// Of L, d and directions, so that vectors hold as many of each.
  using wide = std::conditional_t<sizeof(Key) == 8, std::uint64_t, std::uint32_t>;
  struct offered {
    std::uint32_t steps, at;
    bool operator<(const offered& other) const { return steps < other.steps; }
  };

  /// Copies the tile and what is around it; `beyond` the view.
  template <class T>
  void copy_from(const view<const T>& image, T beyond, std::vector<T>& to) const;
  /// The pixels of a row from the first inside the mask to the last.
  struct span {
    std::int64_t begin, end;
  };
  span inside_of(const std::uint32_t* seed) const;
  void find_inside(const view<const std::uint32_t>& seeds);
  std::int64_t slots() const { return pitch_ * rows_ * (place_.depth + 2 * volume_); }
  /// The lowest L around the pixels of a row, in lowest_ from 1 on.
  void find_lowest(std::uint32_t row, span of);
  void find_entries(const view<const std::uint32_t>& seeds);
  void start_front();
  void start_front(std::uint32_t row, span of);
  /// The direction of the least (L, d) around the pixels of a row, in best_.
  void find_least(std::uint32_t row, span of);
  void relax(std::uint32_t p);
  void label_ends(const std::uint32_t* seed, std::uint32_t row, bit_word* open);
  const std::uint32_t* seed_row(const view<const std::uint32_t>& seeds, std::int64_t z,
                                std::int64_t y) const {
    return seeds.at(place_.first.z + z, place_.first.y + y) + place_.first.x;
  }

  tie_order order_;
  bool volume_, full_;  // full: all pixels around are neighbours
  tile_place place_{};
  site low_{}, high_{};  // of the pixels of the view, relative to the tile
  std::int64_t pitch_ = 0, rows_ = 0;
  std::array<std::int32_t, 26> offset_{};
  std::vector<Key> pass_, lowest_;
  std::vector<wide> best_;
  std::vector<span> inside_;  // of every row
  std::vector<std::uint32_t> steps_, value_, queue_;
  std::vector<bit_word> open_;  // pixels without a label, by row
  std::vector<std::uint8_t> direction_;
  std::vector<offered> offers_;
  std::size_t queued_ = 0;
};

}  // namespace macareu::cpu
