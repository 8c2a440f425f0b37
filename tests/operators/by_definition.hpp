// The operators by their definitions, as slowly and plainly as can be, sharing nothing with the library.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

#include <macareu/image.hpp>

#include "support/types.hpp"

namespace macareu::test {

/// An image's shape with its neighbourhood: 4 or 8, 6, 18 or 26 neighbours.
class lattice {
 public:
  lattice(const extents& shape, int neighbour_count) : shape_(shape) {
    const int reach = neighbour_count == 26 ? 3 : neighbour_count == 8 || neighbour_count == 18 ? 2 : 1;
    const int dz_last = neighbour_count == 4 || neighbour_count == 8 ? 0 : 1;
    for (int dz = -dz_last; dz <= dz_last; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const int moved = std::abs(dz) + std::abs(dy) + std::abs(dx);
          if (moved > 0 && moved <= reach) steps_.push_back({dz, dy, dx});
        }
  }

  std::size_t pixels() const { return static_cast<std::size_t>(shape_.pixels()); }
  std::size_t neighbour_count() const { return steps_.size(); }

  template <class Visit>
  void for_each_neighbour(std::size_t index, Visit visit) const {
    const auto height = shape_.height(), width = shape_.width();
    const auto i = static_cast<std::int64_t>(index);
    for (const auto& by : steps_) {
      const auto z = i / width / height + by.dz, y = i / width % height + by.dy, x = i % width + by.dx;
      if (z >= 0 && z < shape_.depth() && y >= 0 && y < height && x >= 0 && x < width)
        visit(static_cast<std::size_t>((z * height + y) * width + x));
    }
  }

  /// On the outermost rows and columns; in a volume also in the first and last slice.
  bool on_border(std::size_t index) const {
    const auto height = shape_.height(), width = shape_.width();
    const auto i = static_cast<std::int64_t>(index);
    const auto z = i / width / height, y = i / width % height, x = i % width;
    return y == 0 || x == 0 || y == height - 1 || x == width - 1 ||
           (shape_.rank() == 3 && (z == 0 || z == shape_.depth() - 1));
  }

 private:
  struct step {
    int dz, dy, dx;
  };
  extents shape_;
  std::vector<step> steps_;
};

template <class T>
T lower(T a, T b) {
  return before(b, a) ? b : a;
}
template <class T>
T higher(T a, T b) {
  return before(a, b) ? b : a;
}
template <class T>
bool identical(T a, T b) {
  return !before(a, b) && !before(b, a);
}

/// Elementary geodesic dilations J <- min(dilate(J), mask), the whole image at a time, until nothing changes.
template <class T>
std::vector<T> reconstruction(const lattice& on, const std::vector<T>& marker, const std::vector<T>& mask,
                              bool by_erosion) {
  auto now = marker;
  for (std::size_t p = 0; p < now.size(); ++p)
    now[p] = by_erosion ? higher(marker[p], mask[p]) : lower(marker[p], mask[p]);
  for (bool changed = true; changed;) {
    auto next = now;
    changed = false;
    for (std::size_t p = 0; p < now.size(); ++p) {
      on.for_each_neighbour(
          p, [&](std::size_t q) { next[p] = by_erosion ? lower(next[p], now[q]) : higher(next[p], now[q]); });
      next[p] = by_erosion ? higher(next[p], mask[p]) : lower(next[p], mask[p]);
      changed = changed || !identical(next[p], now[p]);
    }
    now.swap(next);
  }
  return now;
}

/// Plateaus of equal value without a neighbour beyond; none in an image of one value.
template <class T>
std::vector<std::uint8_t> regional_extrema_of(const lattice& on, const std::vector<T>& f, bool maxima) {
  std::vector<std::uint8_t> found(f.size(), 0), seen(f.size(), 0);
  if (std::ranges::all_of(f, [&](T value) { return value == f[0]; })) return found;
  for (std::size_t first = 0; first < f.size(); ++first) {
    if (seen[first]++) continue;
    std::vector<std::size_t> plateau{first};
    bool extreme = true;
    for (std::size_t i = 0; i < plateau.size(); ++i)
      on.for_each_neighbour(plateau[i], [&](std::size_t q) {
        if (maxima ? f[q] > f[first] : f[q] < f[first]) extreme = false;
        if (f[q] == f[first] && !seen[q]++) plateau.push_back(q);
      });
    for (const auto p : plateau) found[p] = extreme;
  }
  return found;
}

/// For each pixel the lowest over all paths to the border of the highest value on the path.
template <class T>
std::vector<T> without_holes(const lattice& on, const std::vector<T>& f) {
  std::vector<T> level(f.size());
  std::vector<std::uint8_t> reached(f.size(), 0);
  for (std::size_t p = 0; p < f.size(); ++p)
    if (on.on_border(p)) level[p] = f[p], reached[p] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t p = 0; p < f.size(); ++p)
      on.for_each_neighbour(p, [&](std::size_t q) {
        if (!reached[q]) return;
        const T through_q = higher(level[q], f[p]);
        if (reached[p] && !before(through_q, level[p])) return;
        level[p] = through_q;
        reached[p] = 1;
        changed = true;
      });
  }
  return level;
}

/// |a - b|; a long double holds 64 bits.
template <class T>
long double apart(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a > b ? static_cast<long double>(a) - b : static_cast<long double>(b) - a;
  else
    return static_cast<long double>(a > b ? static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b)
                                          : static_cast<std::uint64_t>(b) - static_cast<std::uint64_t>(a));
}

/// p stands out by h if from p, without descending h or more below it, no higher pixel can be reached.
/// Nothing does where h exceeds the range of the image.
template <class T>
std::vector<std::uint8_t> h_extrema_of(const lattice& on, const std::vector<T>& f, long double h,
                                       bool maxima) {
  std::vector<std::uint8_t> found(f.size(), 0);
  if (f.empty() || apart(*std::ranges::max_element(f), *std::ranges::min_element(f)) < h) return found;
  const auto beyond = [&](T a, T b) { return maxima ? a > b : a < b; };
  for (std::size_t first = 0; first < f.size(); ++first) {
    std::vector<std::size_t> region{first};
    std::vector<std::uint8_t> seen(f.size(), 0);
    seen[first] = 1;
    bool extreme = true;
    for (std::size_t i = 0; i < region.size() && extreme; ++i)
      on.for_each_neighbour(region[i], [&](std::size_t q) {
        if (beyond(f[q], f[first])) extreme = false;
        const bool near = beyond(f[q], f[first]) || apart(f[q], f[first]) < h;
        if (near && !seen[q]++) region.push_back(q);
      });
    found[first] = extreme;
  }
  return found;
}

/// f - h, or f + h, stopping at the ends of the type; of bool at 0 and 1.
template <class T>
std::vector<T> shifted(const std::vector<T>& f, T h, bool down, dtype type) {
  using limits = std::numeric_limits<T>;
  const T highest = type == dtype::boolean ? T{1} : limits::max();
  auto result = f;
  for (auto& value : result) {
    if constexpr (std::is_floating_point_v<T>)
      value = down ? value - h : value + h;
    else if (down)
      value = apart(value, limits::lowest()) < static_cast<long double>(h) ? limits::lowest()
                                                                           : static_cast<T>(value - h);
    else
      value = apart(value, highest) < static_cast<long double>(h) ? highest : static_cast<T>(value + h);
  }
  return result;
}

}  // namespace macareu::test
