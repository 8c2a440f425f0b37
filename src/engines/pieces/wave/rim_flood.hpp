// A piece of a bottleneck wave, seen from outside: its rim, solved alone, and how widely the piece connects
// it (docs/explanation/pieces.md).
//
// R0 is the result of the piece alone. A pixel is open if the outside can raise it above R0. Open pixels are
// flooded from the rim, from the highest level down. Each gets an upper bound R1 and the rim pixel, its node,
// that it was reached from. Where two floods meet, an edge joins their nodes. With V, the final values of the
// rim, the result is max(R0, min(R1, V(node))).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/rim_numbering.hpp"
#include "engines/pieces/box.hpp"

namespace macareu::pieces {

/// Keys rise in the direction of the wave, so one direction is enough.
template <class Key>
struct rim_edge {
  std::uint32_t a, b;
  Key weight;
};

/// All that is known of a piece from outside. Neighbours along an axis on the rim are joined too; these edges
/// are not listed, because the capacities tell them.
template <class Key>
struct rim_summary {
  std::vector<Key> capacity, value;
  std::vector<rim_edge<Key>> edges;

  /// As a message, or a record of a journal.
  std::string bytes() const;
  /// Of a rim with so many pixels. Throws io_error if the bytes are none of it.
  static rim_summary of(std::string_view bytes, std::size_t nodes);
};

template <class Key>
struct open_pixel {
  std::uint32_t at, node;  // the index in the piece, in raster order, and the number on the rim
  Key upper;
};

inline cpu::rim_numbering rim_of(const box& piece, bool volume) {
  return {{piece.first, static_cast<int>(piece.size.x), static_cast<int>(piece.size.y),
           static_cast<int>(piece.size.z)},
          volume};
}

/// visit(z, y, x) relative to the piece, in the order of its rim numbers.
template <class Visit>
void for_each_on_rim(const box& piece, bool volume, Visit&& visit) {
  const auto size = piece.size;
  for (std::int64_t z = 0; z < size.z; ++z)
    for (std::int64_t y = 0; y < size.y; ++y) {
      const bool all = y == 0 || y == size.y - 1 || size.x == 1 || (volume && (z == 0 || z == size.z - 1));
      for (std::int64_t x = 0; x < size.x; x += all ? 1 : size.x - 1) visit(z, y, x);
    }
}

/// Keys of a piece with one pixel around it; 0 outside the piece, so nothing passes there.
template <class Key>
struct piece_keys {
  box piece{};
  bool volume = false;
  std::int64_t pitch = 0, slice = 0;  // to the next row and slice
  std::vector<Key> capacity, value;   // kept from piece to piece

  void reset(const box& place, bool is_volume) {
    if (place.size == piece.size && is_volume == volume) {
      piece = place;
      return;
    }
    piece = place;
    volume = is_volume;
    pitch = place.size.x + 2;
    slice = pitch * (place.size.y + 2);
    capacity.assign(static_cast<std::size_t>(slice * (place.size.z + (is_volume ? 2 : 0))), Key{0});
    value.assign(capacity.size(), Key{0});
  }
  std::size_t at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return static_cast<std::size_t>((z + volume) * slice + (y + 1) * pitch + x + 1);
  }
};

/// Memory of the flood, kept from piece to piece.
template <class Key>
class rim_flood {
 public:
  /// The rim's pixels, and those that can rise. outside(site): the capacity of a pixel outside the piece,
  /// relative to it; 0 outside the image.
  template <class Outside>
  rim_summary<Key> find_seeds(const neighbourhood& near, const piece_keys<Key>& keys,
                              const Outside& outside) {
    seeds_.clear();
    rim_summary<Key> summary;
    const auto pixels = static_cast<std::size_t>(rim_of(keys.piece, keys.volume).count());
    summary.capacity.reserve(pixels);
    summary.value.reserve(pixels);
    for_each_on_rim(keys.piece, keys.volume, [&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto i = keys.at(z, y, x);
      const Key capacity = keys.capacity[i], value = keys.value[i];
      summary.capacity.push_back(capacity);
      summary.value.push_back(value);
      if (capacity <= value) return;
      Key highest = 0;
      near.for_each({z, y, x}, [&](site q) { highest = std::max<Key>(highest, outside(q)); });
      highest = std::min(highest, capacity);
      if (highest > value) seeds_.push_back({highest, static_cast<std::uint32_t>(i)});
    });
    return summary;
  }
  /// After find_seeds(): edges, and open pixels. If these are more than `most`, it gives up and returns
  /// false: the summary has no edges then.
  bool flood(const neighbourhood& near, const piece_keys<Key>& keys, std::size_t most,
             rim_summary<Key>& summary, std::vector<open_pixel<Key>>& open);

 private:
  struct seed {
    Key level;
    std::uint32_t at;
  };

  std::vector<seed> seeds_;
  std::vector<std::uint32_t> node_;  // of settled pixels; `none` elsewhere, also between calls
  std::vector<Key> upper_;
  std::vector<std::uint32_t> settled_;
};

}  // namespace macareu::pieces
