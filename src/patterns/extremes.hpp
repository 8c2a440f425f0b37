// extremes (N2P, order alone): out(p) = the pixel with the least key among in(p + offset), over all offsets
// of a footprint. Keys of the reversed order give maxima. Images are bits of pixels, so engines have one
// instance for each width, not for each pixel type.
//
// Laws. The footprint is not empty, and `out` is not the input. The least key is unique, so every order of
// evaluation gives the same bits.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/key_map.hpp"
#include "patterns/window.hpp"

namespace macareu {

/// The offsets (dz, dy, first ... last) of a footprint. Chords are sorted and do not touch.
struct chord {
  int dz, dy, first, last;
  bool operator==(const chord&) const = default;
};

inline window_radius radius_of(std::span<const chord> footprint) {
  window_radius radius{0, 0, 0};
  for (const auto& each : footprint) {
    radius.z = std::max(radius.z, std::abs(each.dz));
    radius.y = std::max(radius.y, std::abs(each.dy));
    radius.x = std::max({radius.x, std::abs(each.first), std::abs(each.last)});
  }
  return radius;
}

/// The offsets -b of all b.
inline std::vector<chord> reflected(std::span<const chord> footprint) {
  std::vector<chord> all;
  for (auto i = footprint.size(); i-- > 0;)
    all.push_back({-footprint[i].dz, -footprint[i].dy, -footprint[i].last, -footprint[i].first});
  return all;
}

/// extremes by definition, at one pixel.
template <class Key>
Key extreme_at(const key_map<Key>& order, std::span<const chord> footprint, const near_pixels<Key>& near) {
  Key least = static_cast<Key>(~Key{0});
  for (const auto& each : footprint)
    for (int dx = each.first; dx <= each.last; ++dx)
      least = std::min(least, order.key(near(each.dz, each.dy, dx)));
  return order.bits(least);
}

}  // namespace macareu
