// Distances axis by axis: the first pass counts the steps to the nearest site along the first axis, the
// others add (or, for the chessboard, take the greater of) what their own axis costs.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "patterns/line.hpp"

namespace macareu {

/// What stands for "no site" while steps are counted: twice as much still fits.
template <class Steps>
inline constexpr Steps no_steps = std::numeric_limits<Steps>::max() / 2;

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

/// Euclidean distances are squared until the end. With f64 the operations are those of numpy:
/// (steps * spacing)^2, added in the order of the axes.
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

/// What the passes of one transform share.
template <class Value>
struct distance_range {
  Value limit;  // what is further away is as far as can be
  Value none;   // "no site": above the limit
};

template <class Value>
struct from_steps {
  MACAREU_HD bool unit_squares() const { return before.unit_squares(); }
  axis_cost<Value> before;  // of the axis along which the steps were counted
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

/// What values count where that is not 1: steps of a length, or parts of 1 such as tenths.
struct unit_of_values {
  double step = 1, parts = 1;  // not both
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
