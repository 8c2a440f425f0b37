// Distances axis by axis. The first pass counts the steps to the nearest site along the first axis. The
// others add the cost of their axis; for the chessboard metric they take the maximum.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "patterns/line.hpp"

namespace macareu {

/// Stands for "no site" while steps are counted. Twice the value still fits.
template <class Steps>
inline constexpr Steps no_steps = std::numeric_limits<Steps>::max() / 2;

/// Values of 64 bits follow steps of 32 bits only: a side is long there, or spacing is large. It saves the
/// code for one more pair of types.
template <class Steps>
inline constexpr bool is_with_u64 = sizeof(Steps) == 4;

/// Steps along the line to the nearest site: a pixel that is zero, or one that is not.
template <class Steps>
struct steps_to_site {
  using value = Steps;
  static constexpr bool linear = true, counts_steps = true;
  bool sites_are_zero = true;

  MACAREU_HD line_join join() const { return line_join::sum; }
  template <class T>
  MACAREU_HD Steps lift(T pixel) const {
    return (pixel == T{}) == sites_are_zero ? Steps{0} : no_steps<Steps>;
  }
  MACAREU_HD Steps cost(std::int64_t steps) const { return static_cast<Steps>(steps); }
  MACAREU_HD Steps limit() const { return no_steps<Steps> - 1; }
  MACAREU_HD Steps result(Steps steps) const { return steps < no_steps<Steps> ? steps : no_steps<Steps>; }
};

/// Euclidean distances are squared until the end. With f64 the operations are NumPy's: (steps * spacing)^2,
/// added in the order of the axes.
template <class Value>
struct axis_cost {
  Value spacing;
  bool squared;

  MACAREU_HD Value operator()(std::int64_t steps) const {
    const Value length = static_cast<Value>(steps) * spacing;
    return squared ? length * length : length;
  }
  MACAREU_HD bool unit_squares() const { return squared && spacing == Value{1}; }
};

/// Shared by the passes of one transform.
template <class Value>
struct distance_range {
  Value limit;  // larger values count as "no site"
  Value none;   // stands for "no site": above the limit
};

template <class Value>
struct from_steps {
  MACAREU_HD bool unit_squares() const { return before.unit_squares(); }
  axis_cost<Value> before;  // of the axis that the steps were counted along
  template <class Steps>
  MACAREU_HD Value operator()(Steps steps, const distance_range<Value>& range) const {
    const Value cost = before(static_cast<std::int64_t>(steps));
    return steps >= no_steps<Steps> ? range.none : cost;
  }
};

template <class Value>
struct from_values {
  MACAREU_HD bool unit_squares() const { return true; }
  MACAREU_HD Value operator()(Value value, const distance_range<Value>&) const { return value; }
};

template <class Value>
struct to_values {
  static constexpr auto ending = line_result::same;
  MACAREU_HD Value operator()(Value value, const distance_range<Value>& range) const {
    return value > range.limit ? range.none : value;
  }
};

/// The unit of integer values, if not 1: a step length, or parts of 1 such as tenths.
struct unit_of_values {
  double step = 1, parts = 1;  // at most one differs from 1
  MACAREU_HD bool is_1() const { return step == 1 && parts == 1; }
  MACAREU_HD double operator()(double value) const { return value * step / parts; }
};

template <class Value, class Out>
struct to_distance {
  static constexpr auto ending = std::is_same_v<Value, Out> ? line_result::same : line_result::other;
  Out far;  // no site, or one beyond the limit
  unit_of_values unit;
  MACAREU_HD Out operator()(Value value, const distance_range<Value>& range) const {
    Out near = static_cast<Out>(value);
    if constexpr (std::is_floating_point_v<Out>)
      if (!unit.is_1()) near = static_cast<Out>(unit(static_cast<double>(value)));
    return value > range.limit ? far : near;
  }
};

template <class Value, class Out>
struct to_root {
  static constexpr auto ending = line_result::root;
  Out far;
  MACAREU_HD Out operator()(Value value, const distance_range<Value>& range) const {
    const Out near = static_cast<Out>(sqrt(static_cast<double>(value)));
    return value > range.limit ? far : near;
  }
};

template <class Value, class Lift, class Result>
struct distance_pass {
  using value = Value;
  static constexpr auto ending = Result::ending;
  axis_cost<Value> along;
  line_join how;
  distance_range<Value> range;
  Lift from;
  Result to;

  MACAREU_HD line_join join() const { return how; }
  MACAREU_HD bool unit_squares() const {
    return how == line_join::sum && along.unit_squares() && from.unit_squares();
  }
  template <class In>
  MACAREU_HD Value lift(In in) const {
    return from(in, range);
  }
  MACAREU_HD Value cost(std::int64_t steps) const { return along(steps); }
  MACAREU_HD Value limit() const { return range.limit; }
  MACAREU_HD auto result(Value v) const { return to(v, range); }
};

}  // namespace macareu
