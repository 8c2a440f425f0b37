// edges (N2P in stages, then IWPP): smooths an image, derives a second one, marks pixels from both and links
// the marked pixels.
//   S        one symmetric sum along each axis, along z, then y, then x, in f64 (the order of weighted.hpp),
//            each rounded to Rule::value; then, where there are shares, divided by them in f64 and rounded
//   D(p)     = rule.derived(near S)
//   level(p) = rule.level(near S, near D): 0, 1 (may be set) or 2 (is set); 0 on the border of the image if
//            the rule is for pixels inside only (`static constexpr bool inside_only`)
//   out      the binary wave that starts at level 2 and goes through levels 1 and 2
// Outside the image the smoothing's border defines the input; S and D extend the nearest pixel inside.
//
// Laws. The rule declares the rank of its images. It is pure and reads at most one pixel away along each
// axis. Every operation is rounded, and fused only where the rule says so. Every engine then gives the same
// bits, and may fuse all stages into one pass.
//
// Shortcuts. Exact levels are slow, and few pixels need them.
//   strength(near S, near D)   the level is 0 where it is below rule.least(); it reads D only if
//                              Rule::strength_is_derived
//   estimate(strength, slopes, near D, error)   the level as a value, or not_sure; slopes come from
//                              slopes(near S, to), and D may be replaced by values within `error` of it
//   drafted(near S, bends)     if Rule::drafts, cheaper than D, within draft_error(largest pixel of S, bends)
//   draft(slopes)              if Rule::strength_is_derived, cheaper than D; where drafts_hold(), least() and
//                              estimate_drafts(draft, slopes, near drafts) are right for drafts too
//   is_flat(near S)            if Rule::drafts; where it holds for a pixel and its neighbours along the axes,
//                              the level is flat_level()
// estimate and drafted may be called with vectors of several pixels, as wide window rules are.
//
// On request an engine also writes the rule's gradient(near S) and crossing(near S, near D).
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "core/view.hpp"
#include "patterns/wave.hpp"
#include "patterns/weighted.hpp"

namespace macareu {

/// A number for every pixel that depends on its distances to the border of the image, up to a reach. There is
/// one for each class of rows and of columns.
struct share_classes {
  std::int64_t rows = 0, columns = 0;  // 0: no shares

  MACAREU_HD static std::int64_t class_of(std::int64_t i, std::int64_t size, std::int64_t classes) {
    if (classes == size) return i;
    const std::int64_t reach = classes / 2;
    return i < reach ? i : i >= size - reach ? classes - (size - i) : reach;
  }
};

struct smoothing {
  symmetric_weights<double> weights;
  border<double> edge;
  share_classes classes;
  std::vector<double> shares;  // [row class][column class]
  bool moderate = false;       // the dividends are known to be 0, or between 1e-200 and 1e300

  double share(site p, std::int64_t height, std::int64_t width) const {
    if (shares.empty()) return 1;
    const auto row = share_classes::class_of(p.y, height, classes.rows);
    return shares[static_cast<std::size_t>(row * classes.columns +
                                           share_classes::class_of(p.x, width, classes.columns))];
  }
};

/// Requested intermediate images, as an engine's images or as views of them; no memory: not requested.
template <class Gradient, class Crossings>
struct kept_stages {
  Gradient gradient{};
  Crossings crossings{};
};
template <class Value>
using kept_views = kept_stages<view<Value>, view<std::uint8_t>>;

inline constexpr int not_sure = 4;

/// Whether a pixel of an image of this size can have a level above 0.
template <class Rule>
MACAREU_HD bool marks_at(site p, std::int64_t height, std::int64_t width) {
  if (!Rule::inside_only) return true;
  return p.y > 0 && p.y < height - 1 && p.x > 0 && p.x < width - 1;
}

template <class Value>
inline constexpr border<Value> nearest_inside{border_mode::nearest, Value{}};

/// The first derivation as a window rule.
template <class Rule>
struct derived_window {
  Rule rule;
  MACAREU_HD static constexpr window_radius radius() { return {Rule::rank == 3 ? 1 : 0, 1, 1}; }
  template <class Near>
  MACAREU_HD auto operator()(site, const Near& near) const {
    return rule.derived(near);
  }
};

/// The wave rule of the last stage.
struct flood_levels {
  using algebra = bottleneck<direction::up>;
  static constexpr bool binary = true;
  MACAREU_HD std::uint8_t capacity(site, std::uint8_t level) const { return level > 0; }
};
struct highest_level {
  MACAREU_HD std::uint8_t operator()(site, std::uint8_t level) const { return level > 1; }
};

template <class Rule>
concept edge_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, const near_pixels<typename Rule::value>& near, typename Rule::value strength,
             typename Rule::value (&slopes)[Rule::rank]) {
  { rule.derived(near) } -> std::same_as<typename Rule::value>;
  { rule.strength(near, near) } -> std::same_as<typename Rule::value>;
  { rule.least() } -> std::same_as<typename Rule::value>;
  rule.slopes(near, slopes);
  { rule.estimate(strength, slopes, near, strength) } -> std::same_as<typename Rule::value>;
  { rule.level(near, near) } -> std::same_as<std::uint8_t>;
  { rule.weak() } -> std::same_as<bool>;
  { rule.gradient(near) } -> std::same_as<typename Rule::value>;
  { rule.crossing(near, near) } -> std::same_as<bool>;
  { Rule::inside_only } -> std::convertible_to<bool>;
  { Rule::strength_is_derived } -> std::convertible_to<bool>;
  { Rule::drafts } -> std::convertible_to<bool>;
  { Rule::rank } -> std::convertible_to<int>;
};

}  // namespace macareu
