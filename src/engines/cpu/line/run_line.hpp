// line on the cpu. Linear costs are two scans, row by row over a strip of columns. Other lines are copied
// into memory of their own for the kernel; across rows several side by side, so that every cache line is used
// whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "engines/cpu/line/envelope.hpp"
#include "engines/cpu/line/squares.hpp"
#include "engines/cpu/units.hpp"

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

/// out(i) = min(lift(in(i)), out(i - 1) + step), then the same upwards. What the loops use is captured by
/// value: behind a reference it might be what they write, and they would not be vectorised.
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
  // As wide as can be: rows are read as memory has them, which beats strips that fit the cache.
  const auto share = planes.count >= threads ? planes.width : (planes.width + threads - 1) / threads;
  const auto strip = (share + 63) / 64 * 64;
  const auto strips = (planes.width + strip - 1) / strip;
  over_units(work, threads, planes.count * strips, 1, [&](int, std::int64_t unit) {
    const auto x = unit % strips * strip;
    scan_strip(rule, planes, unit / strips, x, std::min(strip, planes.width - x), out, in);
  });
}

/// One thread's lines for the kernel, side by side.
template <class Value>
class line_bundle {
 public:
  line_bundle(std::int64_t size, bool ordered, std::int64_t lines, Value beyond)
      : margin_(envelope_margin(size, ordered)),
        pitch_(size + 2 * margin_),
        values_(static_cast<std::size_t>(lines * pitch_), beyond),
        best_(static_cast<std::size_t>(lines * pitch_)),
        nearest_(static_cast<std::size_t>(size / envelope_block + 2)) {}

  Value* value(std::int64_t line) { return values_.data() + line * pitch_ + margin_; }
  Value* best(std::int64_t line) { return best_.data() + line * pitch_; }
  nearest_places* nearest() { return nearest_.data(); }
  /// From one line to the next.
  std::int64_t pitch() const { return pitch_; }

 private:
  std::int64_t margin_, pitch_;
  std::vector<Value> values_, best_;
  std::vector<nearest_places> nearest_;
};

/// One for each thread.
template <class Make>
auto for_threads(int threads, const Make& make) {
  std::vector<decltype(make())> own;
  own.reserve(static_cast<std::size_t>(threads));
  for (int thread = 0; thread < threads; ++thread) own.push_back(make());
  return own;
}

/// Whether the best places never go back: of integers by the laws of the pattern, of floats where rounding
/// left the costs convex. The differences are exact: from the third cost on none is twice the one before.
template <class Rule>
bool keeps_places_in_order(const Rule& rule, std::int64_t size) {
  using value = typename Rule::value;
  if (std::is_integral_v<value> || rule.join() == line_join::maximum) return true;
  for (std::int64_t k = 1; k + 1 < size; ++k)
    if (!(rule.cost(k + 1) - rule.cost(k) > rule.cost(k) - rule.cost(k - 1))) return false;
  return true;
}

template <class Rule>
struct line_costs {
  using value = typename Rule::value;
  line_costs(const Rule& rule, std::int64_t size)
      : ordered(keeps_places_in_order(rule, size)),
        middle(size + envelope_margin(size, ordered)),
        costs(static_cast<std::size_t>(2 * middle + 1)) {
    for (std::int64_t k = 0; k <= middle; ++k)
      costs[static_cast<std::size_t>(middle - k)] = costs[static_cast<std::size_t>(middle + k)] =
          rule.cost(std::min(k, size - 1));
  }
  const value* data() const { return costs.data() + middle; }

  bool ordered;
  std::int64_t middle;
  std::vector<value> costs;
};

/// Above the limit, and no more than a lifted value may be.
template <class Rule>
typename Rule::value beyond_limit(const Rule& rule) {
  using value = typename Rule::value;
  if constexpr (std::is_floating_point_v<value>)
    return std::numeric_limits<value>::infinity();
  else
    return rule.limit() + 1;
}

template <class Rule, class Out>
inline constexpr bool gives_f32_roots =
    line_ending<Rule> ==
    line_result::root&& std::is_same_v<typename Rule::value, std::uint32_t>&& std::is_same_v<Out, float>;

template <class Rule, class Out, class In>
void run_rows(const job& work, int threads, const Rule& rule, const view<Out>& out,
              const view<const In>& in) {
  using value = typename Rule::value;
  const line_costs<Rule> costs(rule, in.width);
  auto own = for_threads(threads,
                         [&] { return line_bundle<value>(in.width, costs.ordered, 1, beyond_limit(rule)); });
  const auto batch = std::max<std::int64_t>(1, 16 * 1024 / in.width);
  over_units(work, threads, in.depth * in.height, batch, [&](int thread, std::int64_t row) {
    auto& mine = own[static_cast<std::size_t>(thread)];
    const site first{row / in.height, row % in.height, 0};
    value* const lifted = mine.value(0);
    value* const best = mine.best(0);
    over_row(
        first, in.width, [rule, lifted](std::int64_t x, const In& from) { lifted[x] = rule.lift(from); }, in);
    solve(rule.join(), {in.width, lifted, costs.data(), costs.ordered, rule.limit(), best, mine.nearest()});
    if constexpr (gives_f32_roots<Rule, Out>)
      if (out.step_x == 1)
        return roots(best, in.width, rule.limit(), rule.result(beyond_limit(rule)), &out[first]);
    over_row(
        first, in.width, [rule, best](std::int64_t x, Out& to) { to = rule.result(best[x]); }, out);
  });
}

template <class Rule, class Out, class In>
void run_bundles(const job& work, int threads, const Rule& rule, line_axis axis, const view<Out>& out,
                 const view<const In>& in) {
  using value = typename Rule::value;
  constexpr std::int64_t most = 16;
  const line_planes planes(axis, in);
  const line_costs<Rule> costs(rule, planes.rows);
  auto own = for_threads(threads, [&] {
    return line_bundle<value>(planes.rows, costs.ordered, std::min(most, planes.width), beyond_limit(rule));
  });
  const auto bundles = (planes.width + most - 1) / most;
  over_units(work, threads, planes.count * bundles, 1, [&](int thread, std::int64_t unit) {
    auto& mine = own[static_cast<std::size_t>(thread)];
    const auto plane = unit / bundles, x = unit % bundles * most, lines = std::min(most, planes.width - x);
    const auto pitch = mine.pitch();
    for (std::int64_t row = 0; row < planes.rows; ++row) {
      const auto lift = [rule, pitch, to = mine.value(0) + row](std::int64_t i, const In& from) {
        to[i * pitch] = rule.lift(from);
      };
      over_row(planes.place(plane, row, x), lines, lift, in);
    }
    for (std::int64_t i = 0; i < lines; ++i)
      solve(rule.join(), {planes.rows, mine.value(i), costs.data(), costs.ordered, rule.limit(), mine.best(i),
                          mine.nearest()});
    for (std::int64_t row = 0; row < planes.rows; ++row) {
      const auto finish = [rule, pitch, from = mine.best(0) + row](std::int64_t i, Out& to) {
        to = rule.result(from[i * pitch]);
      };
      over_row(planes.place(plane, row, x), lines, finish, out);
    }
  });
}

template <class Rule, class Out, class In>
void run_line(const job& work, const Rule& rule, line_axis axis, const view<Out>& out,
              const view<const In>& in) {
  const int threads = threads_for(in.pixels(), work.how.threads);
  if constexpr (is_linear<Rule> && std::is_same_v<Out, typename Rule::value>)
    run_scans(work, threads, rule, axis, out, in);
  else if (axis == line_axis::x)
    run_rows(work, threads, rule, out, in);
  else
    run_bundles(work, threads, rule, axis, out, in);
}

}  // namespace macareu::cpu
