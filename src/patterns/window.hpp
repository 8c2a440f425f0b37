// window (N2P): out(p) = rule(p, near), where near(dz, dy, dx) is the input beside p; outside the image the
// border says what is there.
//
// Laws. The rule is pure, and reads no further than its radius: |dz|, |dy|, |dx| <= rule.radius(). `out` is
// not the input.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

enum class border_mode { constant, nearest, mirror, wrap };

template <class T>
struct border {
  border_mode mode = border_mode::nearest;
  T outside{};  // of border_mode::constant

  /// Where a coordinate outside [0, size) is read: mirror repeats the edge pixel (d c b a | a b c d | d c b
  /// a).
  MACAREU_HD std::int64_t fold(std::int64_t i, std::int64_t size) const {
    if (i >= 0 && i < size) return i;
    if (mode == border_mode::nearest) return i < 0 ? 0 : size - 1;
    const std::int64_t period = mode == border_mode::wrap ? size : 2 * size;
    const std::int64_t r = (i % period + period) % period;
    return r < size ? r : period - 1 - r;
  }
};

/// What a window rule reads through.
template <class T>
struct near_pixels {
  view<const T> image;
  border<T> edge;
  site p;

  MACAREU_HD T operator()(std::int64_t dz, std::int64_t dy, std::int64_t dx) const {
    const site q{p.z + dz, p.y + dy, p.x + dx};
    if (image.contains(q)) return image[q];
    if (edge.mode == border_mode::constant) return edge.outside;
    return image[{edge.fold(q.z, image.depth), edge.fold(q.y, image.height), edge.fold(q.x, image.width)}];
  }
};

template <class Rule, class Out, class In>
concept window_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, site p, const near_pixels<In>& near) {
  { rule.radius() } -> std::convertible_to<int>;
  { rule(p, near) } -> std::convertible_to<Out>;
};

}  // namespace macareu
