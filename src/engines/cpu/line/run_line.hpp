// line on the cpu. Linear costs take two scans, row by row over a strip of columns. bundles.hpp solves other
// lines; this file has the loops that convert between pixels and values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/line/bundles.hpp"
#include "engines/cpu/line/squares.hpp"
#include "engines/cpu/runtime/units.hpp"

namespace macareu::cpu {

/// The image as planes of rows: lines along z or y run through the rows of a plane.
struct line_planes {
  line_axis axis;
  std::int64_t count, rows, width;

  template <class T>
  line_planes(line_axis along, const view<T>& image)
      : axis(along),
        count(along == line_axis::z ? image.height : image.depth),
        rows(length_along(along, image)),
        width(image.width) {}

  site place(std::int64_t plane, std::int64_t row, std::int64_t x) const {
    return axis == line_axis::z ? site{row, plane, x} : site{plane, row, x};
  }
};

/// out(i) = min(lift(in(i)), out(i - 1) + step), then the same upwards. Lambdas capture by value: a reference
/// may alias the output, which prevents vectorisation.
template <class Rule, class Out, class In>
void scan_strip(const Rule& rule, const line_planes& planes, std::int64_t plane, std::int64_t x,
                std::int64_t width, const view<Out>& out, const view<const In>& in) {
  const Out step = rule.cost(1);
  const auto row_of = [&](auto image, std::int64_t row) {
    image.data = &image[planes.place(plane, row, x)];
    return image;
  };
  const site first{0, 0, 0};
  const auto lift = [rule](std::int64_t, Out& to, const In& from) { to = rule.lift(from); };
  const auto down = [rule, step](std::int64_t, Out& to, const Out& above, const In& from) {
    const Out own = rule.lift(from), offer = static_cast<Out>(above + step);
    to = own < offer ? own : offer;
  };
  const auto up = [step](std::int64_t, Out& to, const Out& below) {
    const Out own = to, offer = static_cast<Out>(below + step);
    to = own < offer ? own : offer;
  };
  const auto finish = [rule](std::int64_t, Out& to) { to = rule.result(to); };
  over_row(first, width, lift, row_of(out, 0), row_of(in, 0));
  for (std::int64_t row = 1; row < planes.rows; ++row)
    over_row(first, width, down, row_of(out, row), row_of(out, row - 1), row_of(in, row));
  for (std::int64_t row = planes.rows - 1; row > 0; --row) {
    over_row(first, width, up, row_of(out, row - 1), row_of(out, row));
    over_row(first, width, finish, row_of(out, row));
  }
  over_row(first, width, finish, row_of(out, 0));
}

template <class Rule, class Out, class In>
void scan_row(const Rule& rule, site first, const view<Out>& out, const view<const In>& in) {
  using value = typename Rule::value;
  const value step = rule.cost(1);
  Out* const row = &out[first];
  const In* const from = &in[first];
  row[0] = rule.lift(from[0]);
  for (std::int64_t x = 1; x < in.width; ++x)
    row[x * out.step_x] =
        std::min<value>(rule.lift(from[x * in.step_x]), static_cast<value>(row[(x - 1) * out.step_x] + step));
  for (std::int64_t x = in.width - 2; x >= 0; --x)
    row[x * out.step_x] =
        std::min<value>(row[x * out.step_x], static_cast<value>(row[(x + 1) * out.step_x] + step));
  for (std::int64_t x = 0; x < in.width; ++x) row[x * out.step_x] = rule.result(row[x * out.step_x]);
}

template <class Rule, class Out, class In>
void run_scans(const job& work, int threads, const Rule& rule, line_axis axis, const view<Out>& out,
               const view<const In>& in) {
  if (axis == line_axis::x)
    return over_units(work, threads, in.depth * in.height, 1, [&](int, std::int64_t row) {
      scan_row(rule, {row / in.height, row % in.height, 0}, out, in);
    });
  const line_planes planes(axis, out);
  // As wide as possible: sequential reads of rows beat strips that fit the cache.
  const auto share = planes.count >= threads ? planes.width : ceil_div(planes.width, threads);
  const auto strip = ceil_div(share, 64) * 64;
  const auto strips = ceil_div(planes.width, strip);
  over_units(work, threads, planes.count * strips, 1, [&](int, std::int64_t unit) {
    const auto x = unit % strips * strip;
    scan_strip(rule, planes, unit / strips, x, std::min(strip, planes.width - x), out, in);
  });
}

/// A value above the limit that is not above the range of lifted values.
template <class Rule>
typename Rule::value beyond_limit(const Rule& rule) {
  using value = typename Rule::value;
  if constexpr (std::is_floating_point_v<value>)
    return std::numeric_limits<value>::infinity();
  else
    return rule.limit() + 1;
}

template <class Rule, class In>
void lift_bundle(const Rule& rule, const line_bundle& bundle, const view<const In>& in,
                 typename Rule::value* values, std::int64_t pitch) {
  using value = typename Rule::value;
  if (bundle.axis == line_axis::x)
    return over_row(
        bundle.first, bundle.size,
        [rule, values](std::int64_t x, const In& from) { values[x] = rule.lift(from); }, in);
  for (std::int64_t i = 0; i < bundle.size; ++i) {
    value* const to = values + i;
    over_row(
        bundle.place(i), bundle.lines,
        [rule, pitch, to](std::int64_t l, const In& from) { to[l * pitch] = rule.lift(from); }, in);
  }
}

template <class Rule, class Out>
inline constexpr bool gives_f32_roots =
    line_ending<Rule> ==
    line_result::root&& std::is_same_v<typename Rule::value, std::uint32_t>&& std::is_same_v<Out, float>;

template <class Rule, class Out>
void finish_bundle(const Rule& rule, const line_bundle& bundle, const typename Rule::value* best,
                   std::int64_t pitch, const view<Out>& out) {
  if constexpr (gives_f32_roots<Rule, Out>)
    if (bundle.axis == line_axis::x && out.step_x == 1)
      return roots(best, bundle.size, rule.limit(), rule.result(beyond_limit(rule)), &out[bundle.first]);
  if (bundle.axis == line_axis::x)
    return over_row(
        bundle.first, bundle.size, [rule, best](std::int64_t x, Out& to) { to = rule.result(best[x]); }, out);
  for (std::int64_t i = 0; i < bundle.size; ++i)
    over_row(
        bundle.place(i), bundle.lines,
        [rule, pitch, from = best + i](std::int64_t l, Out& to) { to = rule.result(from[l * pitch]); }, out);
}

/// Calls act(problem). The problem refers to local callables, so it must not outlive the call.
template <class Rule, class In, class Act>
void with_problem(const Rule& rule, const view<const In>& in, const Act& act) {
  using value = typename Rule::value;
  const auto cost = [&](std::int64_t steps) { return rule.cost(steps); };
  const auto lift = [&](const line_bundle& bundle, value* values, std::int64_t pitch) {
    lift_bundle(rule, bundle, in, values, pitch);
  };
  act(line_problem<value>{rule.join(), rule.limit(), beyond_limit(rule), is_linear<Rule>, cost, lift});
}

template <class Rule, class Out, class In>
void run_line(const job& work, const Rule& rule, line_axis axis, const view<Out>& out,
              const view<const In>& in) {
  const int threads = threads_for(in.pixels(), work.how.threads);
  if constexpr (is_linear<Rule> && std::is_same_v<Out, typename Rule::value>)
    run_scans(work, threads, rule, axis, out, in);
  else
    with_problem(rule, in, [&](const auto& problem) {
      using value = typename Rule::value;
      solve_lines<value>(work, threads, {axis, in}, problem,
                         [&](const line_bundle& bundle, const value* best, std::int64_t pitch) {
                           finish_bundle(rule, bundle, best, pitch, out);
                         });
    });
}

}  // namespace macareu::cpu
