// gather: out(p) = rule(p, in), where in(q) is the input at any site q. The output may have another shape
// than the input; sites are those of their whole images.
//
// Laws. The rule is pure, and reads sites from rule.first(p) to rule.last(p), all inside the input. Along
// each axis both depend on p's coordinate on that axis alone and never decrease with it: a box of the output
// needs one box of the input. `out` is not the input.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

/// A part of an image in memory, read by sites of the whole.
template <class T>
struct pixels_at {
  view<const T> part;
  site origin;

  MACAREU_HD T operator()(site q) const { return part[q - origin]; }
};

template <class Rule, class Out, class In>
concept gather_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, site p, const pixels_at<In>& in) {
  { rule.first(p) } -> std::same_as<site>;
  { rule.last(p) } -> std::same_as<site>;
  { rule(p, in) } -> std::convertible_to<Out>;
};

/// Optional. Of images, an output pixel mixes two columns of two rows: pixel(mixed(row a, row b)), where a
/// row is mixed(pixel, next pixel) in f64. row(y) and column(x) give `before`, and how far `beyond` it the
/// place is; the next one is used where that is above 0.
template <class Rule>
concept mixes_rows = requires(const Rule rule, std::int64_t i, double value) {
  rule.row(i).before;
  rule.column(i).beyond;
  { Rule::mixed(value, value, value) } -> std::same_as<double>;
  rule.pixel(value);
};

/// Optional. An output pixel is mean(sum, count) of a block of unsigned pixels of at most 16 bits; blocks
/// have `factor` pixels, except the last of each axis. `sums_blocks` says whether this holds for the rule's
/// values.
template <class Rule>
concept means_of_blocks = requires(const Rule rule, std::uint32_t sum, std::int64_t count) {
  rule.factor.x;
  { rule.sums_blocks() } -> std::same_as<bool>;
  rule.mean(sum, count);
};

/// As a map without inputs, for engines that have all pixels in one memory.
template <class Rule, class In>
struct gathered {
  Rule rule;
  pixels_at<In> in;

  MACAREU_HD auto operator()(site p) const { return rule(p, in); }
};

}  // namespace macareu
