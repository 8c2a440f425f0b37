// Nearest sites by propagation between neighbours (Danielsson; paper 1): a pixel adopts the site of a
// neighbour if that is nearer than its own.
//
// The result is approximate, since the nearest site of a pixel need not be that of any neighbour. It depends
// on the order of visits: a pixel may drop a site that would be nearest to a pixel further on. Two properties
// hold for every order. Distances are to some site, so never below the exact ones. No pixel has a neighbour
// whose site it would prefer.
#pragma once

#include <cstdint>

#include "core/frame.hpp"
#include "operators/distance/line_distance.hpp"
#include "patterns/map.hpp"
#include "patterns/wave.hpp"

namespace macareu {

/// A site in one word, x first: among equally distant sites the smallest word is the choice of the exact
/// transform too.
using packed_site = std::uint64_t;
inline constexpr packed_site no_site = ~packed_site{0};
inline constexpr int bits_of_a_coordinate = 21;
inline constexpr std::int64_t largest_packed_side = std::int64_t{1} << bits_of_a_coordinate;

MACAREU_HD constexpr packed_site packed(site p) {
  const auto word = [](std::int64_t at) { return static_cast<packed_site>(at); };
  return word(p.x) << 2 * bits_of_a_coordinate | word(p.y) << bits_of_a_coordinate | word(p.z);
}

MACAREU_HD constexpr site unpacked(packed_site s) {
  constexpr packed_site mask = largest_packed_side - 1;
  const auto part = [](packed_site bits) { return static_cast<std::int64_t>(bits & mask); };
  return {part(s), part(s >> bits_of_a_coordinate), part(s >> 2 * bits_of_a_coordinate)};
}

/// Distance from a pixel to a site.
template <class Value>
struct site_distance {
  axis_cost<Value> z, y, x;

  MACAREU_HD Value operator()(site q, packed_site s) const {
    const site p = unpacked(s);
    return z(p.z - q.z) + y(p.y - q.y) + x(p.x - q.x);
  }
};

template <class Value>
struct nearest_of_neighbours {
  static constexpr bool confluent = false;
  site_distance<Value> distance;
  Value limit;

  MACAREU_HD packed_site offer(packed_site of_p, site, site) const { return of_p; }
  MACAREU_HD bool better(packed_site a, packed_site b, site q) const {
    if (a == b || a == no_site) return false;
    const Value to_a = distance(q, a);
    if (to_a > limit) return false;
    if (b == no_site) return true;
    const Value to_b = distance(q, b);
    return to_a < to_b || (to_a == to_b && a < b);
  }
};

struct own_site {
  bool sites_are_zero;
  template <class T>
  MACAREU_HD packed_site operator()(site p, T pixel) const {
    return (pixel == T{}) == sites_are_zero ? packed(p) : no_site;
  }
};

struct site_so_far {
  MACAREU_HD packed_site operator()(site, packed_site s) const { return s; }
};

/// `To` is a result of line passes: to_root or to_distance.
template <class Value, class To>
struct distance_of_site {
  site_distance<Value> distance;
  distance_range<Value> range;
  To to;

  MACAREU_HD auto operator()(site q, packed_site s) const {
    return to(s == no_site ? range.none : distance(q, s), range);
  }
};

struct index_of_site {
  frame whole;
  MACAREU_HD std::int64_t operator()(site, packed_site s) const {
    return s == no_site ? -1 : whole.index_of(unpacked(s));
  }
};

}  // namespace macareu
