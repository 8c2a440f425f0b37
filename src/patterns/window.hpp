// window (N2P): out(p) = rule(p, near), where near(dz, dy, dx) is the input at that offset from p. The border
// defines pixels outside the image. Every engine has its own `near` type, so the call operator of a rule is a
// template.
//
// Laws. The rule is pure, and reads at most its radius away along each axis: |dz| <= rule.radius().z, and so
// on. `out` is not the input.
//
// A rule that ignores the site declares `static constexpr bool wide = true`, and names the type it works in,
// `value`. An engine may then call it with a `near` that returns vectors of adjacent pixels (core/wide.hpp)
// and an arbitrary site. Its radius is a constant.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

/// The names are SciPy's: reflect repeats the edge pixel (d c b a | a b c d | d c b a), mirror does not
/// (d c b | a b c d | c b a).
enum class border_mode { constant, nearest, reflect, mirror, wrap };

template <class T>
struct border {
  border_mode mode = border_mode::nearest;
  T outside{};  // of border_mode::constant

  /// Maps a coordinate outside [0, size) into the image; not for border_mode::constant.
  MACAREU_HD std::int64_t fold(std::int64_t i, std::int64_t size) const {
    if (i >= 0 && i < size) return i;
    if (mode == border_mode::nearest) return i < 0 ? 0 : size - 1;
    if (mode == border_mode::mirror && size == 1) return 0;
    const std::int64_t period = mode == border_mode::wrap     ? size
                                : mode == border_mode::mirror ? 2 * size - 2
                                                              : 2 * size;
    const std::int64_t r = (i % period + period) % period;
    if (r < size) return r;
    return mode == border_mode::mirror ? period - r : period - 1 - r;
  }
};

struct window_radius {
  int z, y, x;
};

/// The reference `near` of window rules.
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

template <class Rule, class Out, class Near>
concept reads_through = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, site p, const Near& near) {
  { rule.radius() } -> std::same_as<window_radius>;
  { rule(p, near) } -> std::convertible_to<Out>;
};

template <class Rule, class Out, class In>
concept window_rule = reads_through<Rule, Out, near_pixels<In>>;

template <class Rule>
inline constexpr bool is_wide = false;
template <class Rule>
requires requires { Rule::wide; }
inline constexpr bool is_wide<Rule> = Rule::wide;

}  // namespace macareu
