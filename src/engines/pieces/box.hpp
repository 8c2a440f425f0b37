// A box of pixels of the whole image, and the division of an image into boxes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/ceil_div.hpp"
#include "core/frame.hpp"
#include "core/site.hpp"
#include "patterns/window.hpp"

namespace macareu::pieces {

struct box {
  site first, size;

  std::int64_t pixels() const { return size.z * size.y * size.x; }
  site end() const { return first + size; }
  bool contains(site p) const {
    const site q = p - first;
    return q.z >= 0 && q.y >= 0 && q.x >= 0 && q.z < size.z && q.y < size.y && q.x < size.x;
  }
  bool operator==(const box&) const = default;
};

inline box whole_box(const frame& whole) { return {{0, 0, 0}, {whole.depth, whole.height, whole.width}}; }

inline box between(site first, site end) { return {first, end - first}; }

/// Grown by a radius on all sides, as far as the image reaches.
inline box grown(const box& inner, window_radius by, const frame& whole) {
  const site end = inner.end();
  return between(
      {std::max<std::int64_t>(0, inner.first.z - by.z), std::max<std::int64_t>(0, inner.first.y - by.y),
       std::max<std::int64_t>(0, inner.first.x - by.x)},
      {std::min(whole.depth, end.z + by.z), std::min(whole.height, end.y + by.y),
       std::min(whole.width, end.x + by.x)});
}

inline box common(const box& a, const box& b) {
  const site end_a = a.end(), end_b = b.end();
  const site first{std::max(a.first.z, b.first.z), std::max(a.first.y, b.first.y),
                   std::max(a.first.x, b.first.x)};
  const site end{std::min(end_a.z, end_b.z), std::min(end_a.y, end_b.y), std::min(end_a.x, end_b.x)};
  return between(first, {std::max(first.z, end.z), std::max(first.y, end.y), std::max(first.x, end.x)});
}

/// The size of a piece, cut so that its pixels and those around it have numbers of 32 bits.
inline site with_short_numbers(site size) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  while ((size.z + 2) * (size.y + 2) * (size.x + 2) > most) {
    auto& longest = size.y >= size.x ? size.y : size.x;
    auto& cut = size.z > longest ? size.z : longest;
    cut = ceil_div(cut, 2);
  }
  return size;
}

/// Pieces of one size, in raster order; those at the end of the image are smaller.
class piece_grid {
 public:
  piece_grid(const frame& whole, site size)
      : whole_(whole_box(whole)),
        size_(size),
        count_{ceil_div(whole.depth, size.z), ceil_div(whole.height, size.y), ceil_div(whole.width, size.x)} {
  }

  std::int64_t count() const { return count_.z * count_.y * count_.x; }
  const site& size() const { return size_; }
  const box& whole() const { return whole_; }
  /// Pieces along each axis.
  const site& counts() const { return count_; }
  /// The number of the piece at a place among the pieces.
  std::int64_t number(site at) const { return (at.z * count_.y + at.y) * count_.x + at.x; }
  /// That of the i-th piece of a box of pieces.
  std::int64_t number_in(const box& pieces, std::int64_t i) const {
    const auto& size = pieces.size;
    return number(pieces.first + site{i / size.x / size.y, i / size.x % size.y, i % size.x});
  }
  /// All pixels of a box of pieces.
  box pixels_of(const box& pieces) const {
    const site end = pieces.end();
    return common(whole_,
                  between({pieces.first.z * size_.z, pieces.first.y * size_.y, pieces.first.x * size_.x},
                          {end.z * size_.z, end.y * size_.y, end.x * size_.x}));
  }
  /// The place of a piece among the pieces.
  site place(std::int64_t index) const {
    return {index / count_.x / count_.y, index / count_.x % count_.y, index % count_.x};
  }
  box piece(std::int64_t index) const {
    const site at = place(index);
    return common(whole_, {{at.z * size_.z, at.y * size_.y, at.x * size_.x}, size_});
  }
  std::optional<std::int64_t> after(std::int64_t index) const {
    return index + 1 < count() ? std::optional(index + 1) : std::nullopt;
  }
  std::int64_t piece_at(site p) const {
    return (p.z / size_.z * count_.y + p.y / size_.y) * count_.x + p.x / size_.x;
  }
  /// visit(index) for every piece that has pixels of the box.
  template <class Visit>
  void for_each_in(const box& where, Visit&& visit) const {
    if (where.pixels() == 0) return;
    const site end = where.end();
    for (auto z = where.first.z / size_.z; z <= (end.z - 1) / size_.z; ++z)
      for (auto y = where.first.y / size_.y; y <= (end.y - 1) / size_.y; ++y)
        for (auto x = where.first.x / size_.x; x <= (end.x - 1) / size_.x; ++x) visit(number({z, y, x}));
  }

 private:
  box whole_;
  site size_, count_;
};

inline std::int64_t site::*longest_side(const site& size) {
  if (size.z >= std::max(size.y, size.x)) return &site::z;
  return size.y >= size.x ? &site::y : &site::x;
}

/// Of a box of several pieces, along its longest side.
inline std::pair<box, box> halves_of(const box& pieces) {
  const auto side = longest_side(pieces.size);
  std::pair halves(pieces, pieces);
  auto& [first, second] = halves;
  first.size.*side = ceil_div(pieces.size.*side, 2);
  second.first.*side += first.size.*side;
  second.size.*side -= first.size.*side;
  return halves;
}

/// The part of a box of pieces that ranks first .. end - 1 have, a range of the tree of `ranks`. From the
/// root on, each half of the ranks gets its share of the longest side.
inline box share_of_ranks(box pieces, int ranks, int first, int end) {
  for (int low = 0, high = ranks; low != first || high != end;) {
    const int middle = low + (high - low) / 2;
    auto &size = pieces.size, &begin = pieces.first;
    const bool along_z = size.z > std::max(size.y, size.x), along_y = !along_z && size.y > size.x;
    auto &side = along_z   ? size.z
                 : along_y ? size.y
                           : size.x,
         &at = along_z   ? begin.z
               : along_y ? begin.y
                         : begin.x;
    const auto cut = side * (middle - low) / (high - low);
    if (end <= middle) {
      side = cut;
      high = middle;
    } else {
      at += cut;
      side -= cut;
      low = middle;
    }
  }
  return pieces;
}

}  // namespace macareu::pieces
