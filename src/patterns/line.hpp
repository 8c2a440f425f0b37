// line: transforms every line along an axis as a whole,
//   out(i) = result(min over j of lift(in(j)) joined with cost(|i - j|)),
// where joined means added, or the greater of the two.
//
// Laws. lift(...) >= 0, cost(0) = 0, and cost never decreases; where it is added it is convex. All values
// above limit() have the same result. A sum of any lifted value and any cost of the line fits the type. `out`
// is not the input.
//
// carry is the same search with a payload: out(i) = carried(j), where j is the first place on the line with
// the least value. It is `nothing` where that value is above the limit. lines applies one line after another.
//
// With integers the best j never decreases as i grows, so engines may divide and conquer.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "core/framed.hpp"
#include "patterns/images.hpp"

namespace macareu {

enum class line_join { sum, maximum };
enum class line_result { other, same, root };

template <class Rule, class Out, class In>
concept line_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, typename Rule::value v, std::int64_t steps, const In& in) {
  { rule.join() } -> std::same_as<line_join>;
  { rule.lift(in) } -> std::same_as<typename Rule::value>;
  { rule.cost(steps) } -> std::same_as<typename Rule::value>;
  { rule.limit() } -> std::same_as<typename Rule::value>;
  { rule.result(v) } -> std::same_as<Out>;
};

// Optional declarations of rules, by which engines fuse and shorten.

/// Integer cost(k) = k * cost(1): a line is two scans, min(own, neighbour + cost(1)).
template <class Rule>
inline constexpr bool is_linear = false;
template <class Rule>
requires requires { Rule::linear; }
inline constexpr bool is_linear<Rule> = Rule::linear;

/// Linear with cost(k) = k. Either zero pixels are lifted to 0 and all others to `no_steps`, above the limit,
/// or the other way round. The result is the steps, at most `no_steps`.
template <class Rule>
inline constexpr bool counts_steps = false;
template <class Rule>
requires requires { Rule::counts_steps; }
inline constexpr bool counts_steps<Rule> = Rule::counts_steps;

/// Rules may also have `bool unit_squares() const`: joined by addition, cost(k) = k^2; lifts steps to their
/// square and `no_steps` to a value above the limit, or values to themselves.
///
/// line_ending, up to the limit: root is result(v) = sqrt(v) rounded to f64, then to Out; same is v.
template <class Rule>
inline constexpr line_result line_ending = line_result::other;
template <class Rule>
requires requires { Rule::ending; }
inline constexpr line_result line_ending<Rule> = Rule::ending;

template <class T>
MACAREU_HD std::int64_t length_along(line_axis axis, const view<T>& image) {
  return axis == line_axis::z ? image.depth : axis == line_axis::y ? image.height : image.width;
}

template <class T>
MACAREU_HD std::int64_t step_along(line_axis axis, const view<T>& image) {
  return axis == line_axis::z ? image.step_z : axis == line_axis::y ? image.step_y : image.step_x;
}

MACAREU_HD inline std::int64_t place_along(line_axis axis, site p) {
  return axis == line_axis::z ? p.z : axis == line_axis::y ? p.y : p.x;
}

template <class Value>
MACAREU_HD Value joined(line_join how, Value value, Value cost) {
  if (how == line_join::sum) return static_cast<Value>(value + cost);
  return value < cost ? cost : value;
}

/// One pixel by definition, searching outwards from it.
template <class Rule, class In>
MACAREU_HD typename Rule::value best_on_line(const Rule& rule, line_axis axis, const view<const In>& in,
                                             site p) {
  const std::int64_t i = place_along(axis, p), size = length_along(axis, in), step = step_along(axis, in);
  const In* const here = &in[p];
  auto best = rule.lift(*here);
  const auto offer = [&](std::int64_t j, typename Rule::value cost) {
    if (j < 0 || j >= size) return;
    const auto value = joined(rule.join(), rule.lift(here[(j - i) * step]), cost);
    if (value < best) best = value;
  };
  for (std::int64_t steps = 1; steps <= i || i + steps < size; ++steps) {
    const auto cost = rule.cost(steps);
    if (cost >= best || cost > rule.limit()) break;
    offer(i - steps, cost);
    offer(i + steps, cost);
  }
  return best;
}

/// The first place with the least value; -1 if that is above the limit.
template <class Rule, class In>
MACAREU_HD std::int64_t place_on_line(const Rule& rule, line_axis axis, const view<const In>& in, site p) {
  const std::int64_t i = place_along(axis, p), size = length_along(axis, in), step = step_along(axis, in);
  const In* const here = &in[p];
  auto best = rule.lift(*here);
  std::int64_t place = i;
  const auto offer = [&](std::int64_t j, typename Rule::value cost) {
    if (j < 0 || j >= size) return;
    const auto value = joined(rule.join(), rule.lift(here[(j - i) * step]), cost);
    if (value > best || (value == best && j > place)) return;
    best = value;
    place = j;
  };
  for (std::int64_t steps = 1; steps <= i || i + steps < size; ++steps) {
    const auto cost = rule.cost(steps);
    if (cost > best || cost > rule.limit()) break;
    offer(i - steps, cost);
    offer(i + steps, cost);
  }
  return best > rule.limit() ? -1 : place;
}

/// One step of `lines`.
template <class Rule>
struct along {
  line_axis axis;
  Rule rule;
};
template <class Rule>
along(line_axis, Rule) -> along<Rule>;

/// Squares of distances up to this one may be searched by engines that have
///   near_objects(limit, distance, nearest, labels)
/// It gives the euclidean distance to the nearest label other than 0 and that label, or infinity and 0 where
/// the square is above the limit, as line and carry do along y, then x. It returns false, and does nothing,
/// for images it is not made for.
inline constexpr std::uint32_t largest_near_square = 121;

template <class Engine>
concept searches_near = requires(Engine& engine, const image_in<Engine, float>& distance,
                                 const image_in<Engine, std::uint32_t>& nearest,
                                 const image_in<Engine, const std::uint32_t>& labels) {
  { engine.near_objects(std::uint32_t{1}, distance, nearest, labels) } -> std::same_as<bool>;
};

/// lines by definition, with temporary images in between.
template <class Engine, class Out, class In, class First, class... More>
void one_line_after_another(Engine& engine, const Out& out, const In& in, const along<First>& first,
                            const along<More>&... more) {
  if constexpr (sizeof...(more) == 0) {
    engine.line(first.rule, first.axis, out, in);
  } else {
    using between = decltype(first.rule.result(first.rule.limit()));
    const auto next = engine.template temporary<between>(in);
    engine.line(first.rule, first.axis, next.image(), in);
    one_line_after_another(engine, out, next.reading(), more...);
  }
}

MACAREU_HD inline site moved_along(line_axis axis, site p, std::int64_t place) {
  (axis == line_axis::z ? p.z : axis == line_axis::y ? p.y : p.x) = place;
  return p;
}

/// One pixel of carry by definition.
template <class Rule, class In, class Carried>
MACAREU_HD Carried carried_on_line(const Rule& rule, line_axis axis, Carried nothing,
                                   const view<const In>& in, const view<const Carried>& carried, site p) {
  const std::int64_t place = place_on_line(rule, axis, in, p);
  return place < 0 ? nothing : carried[moved_along(axis, p, place)];
}

}  // namespace macareu
