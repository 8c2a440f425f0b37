// The plan of a distance transform, from parameters and shape: spacing, metric, and the narrowest type that
// holds every distance.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "core/call.hpp"
#include "operators/common/spacing.hpp"
#include "operators/distance/line_distance.hpp"
#include "operators/distance/propagation.hpp"

namespace macareu {

struct distance_plan {
  int rank = 2;
  std::array<double, 3> spacing{1, 1, 1};  // z, y, x
  std::array<std::int64_t, 3> steps{};     // length of each axis in steps
  std::array<double, 3> longest{};         // cost of the whole axis
  line_join join = line_join::sum;
  bool squares = true;  // euclidean: costs are squared
  bool root = true;     // and the result is not
  bool whole = true;    // in units; distances are integers
  unit_of_values unit;  // not used by the euclidean metric
  double limit = 0;     // on distances as reported; may be infinite

  /// Upper bound of all distances in the image.
  double most() const { return longest[0] + longest[1] + longest[2]; }
  /// The law of the pattern: any value, "no site" included, plus the cost of one more axis must fit.
  bool fits(double largest) const {
    return whole && most() + *std::ranges::max_element(longest) + 1 <= largest;
  }
};

inline constexpr double largest_u32 = 4294967295.0;
inline constexpr double largest_u64 = 9223372036854775808.0;  // all f64 up to it fit
inline constexpr double largest_exact = 9007199254740992.0;   // f64 holds all integers up to it

template <class T>
const T& argument_of(const arguments& all, const char* name) {
  return std::get<T>(all.find(name)->second);
}

/// False where the operator has no such parameter.
inline bool flag_of(const arguments& all, const char* name) {
  return all.contains(name) && argument_of<bool>(all, name);
}

inline bool propagates(const arguments& all) {
  return all.contains("method") && argument_of<std::string>(all, "method") == "propagation";
}

/// Parameters without effect must keep their default. False if the operator has no such parameter.
inline bool chooses_type_of_squares(const arguments& all) {
  return flag_of(all, "squared") && argument_of<std::string>(all, "type") != "standard";
}
inline bool chooses_neighbours_in_vain(const arguments& all, int rank) {
  return all.contains("connectivity") && !propagates(all) &&
         argument_of<connectivity>(all, "connectivity").reach(rank) != rank;
}

/// The fewest parts of 1 in which all steps are integers, powers of ten first; 0 if there are none. Powers of
/// two serve steps that were converted from f32.
inline double common_parts(const std::vector<double>& steps) {
  const auto suffice = [&](double parts) {
    return std::ranges::all_of(steps,
                               [&](double step) { return std::nearbyint(step * parts) / parts == step; });
  };
  for (double parts = 1; parts <= 1e15; parts *= 10)
    if (suffice(parts)) return parts;
  for (double parts = 2; parts < largest_exact; parts *= 2)
    if (suffice(parts)) return parts;
  return 0;
}

/// Expresses the steps as integer multiples of a unit. Returns false, without changes, if sums would not be
/// exact.
inline bool count_in(distance_plan& plan, const unit_of_values& unit) {
  auto whole = plan.spacing;
  double most = 0;
  for (std::size_t axis = 0; axis < whole.size(); ++axis) {
    if (plan.steps[axis] > 0) whole[axis] = std::nearbyint(whole[axis] / unit.step * unit.parts);
    most += 2 * whole[axis] * static_cast<double>(plan.steps[axis]) + 1;
  }
  if (most >= largest_exact) return false;
  plan.spacing = whole;
  plan.unit = unit;
  return true;
}

/// Sums of fractional steps lose bits, and the fast line searches would round them differently. In parts of
/// 1, or in steps if all are equal, sums are exact and every distance is rounded once.
inline void count_in_units(distance_plan& plan) {
  std::vector<double> steps;
  for (std::size_t axis = 0; axis < plan.spacing.size(); ++axis)
    if (plan.steps[axis] > 0)
      steps.push_back(plan.spacing[axis]);
    else
      plan.spacing[axis] = 1;  // unused, but must fit any type
  const double parts = common_parts(steps);
  if (parts == 1 || (parts > 1 && count_in(plan, {.parts = parts}))) return;
  if (std::ranges::adjacent_find(steps, std::ranges::not_equal_to{}) == steps.end())
    count_in(plan, {.step = steps.front()});
}

inline void measure_axes(distance_plan& plan) {
  plan.whole = true;
  for (std::size_t axis = 0; axis < plan.spacing.size(); ++axis) {
    const double step = plan.spacing[axis], length = step * static_cast<double>(plan.steps[axis]);
    plan.longest[axis] = plan.squares ? length * length : length;
    plan.whole = plan.whole && step == std::floor(step) && (step < largest_u32 || plan.unit.parts > 1);
  }
}

/// `about`: the operator, for messages.
inline distance_plan plan_distances(std::string_view about, const arguments& all, const extents& shape) {
  const auto conflict = [&](std::vector<error_part> parts) {
    return call_error({.kind = fault::conflict, .operation = std::string(about), .parts = std::move(parts)});
  };
  const auto too_long = [&](std::int64_t side, std::int64_t most, std::vector<error_part> instead) {
    std::vector<error_part> parts{"a side of " + std::to_string(side) + " pixels is above " +
                                  std::to_string(most)};
    parts.insert(parts.end(), instead.begin(), instead.end());
    return call_error({.kind = fault::shape,
                       .operation = std::string(about),
                       .parts = std::move(parts),
                       .given = std::to_string(side),
                       .allowed = "up to " + std::to_string(most)});
  };
  const auto& spacing = argument_of<std::vector<number>>(all, "spacing");
  const auto& metric = argument_of<std::string>(all, "metric");
  const int rank = shape.rank();
  if (spacing.size() != 1 && std::cmp_not_equal(spacing.size(), rank))
    throw wrong_spacing(about, spacing.size(), rank);
  distance_plan plan;
  plan.squares = metric == "euclidean";
  plan.join = metric == "chessboard" ? line_join::maximum : line_join::sum;
  const bool squared = flag_of(all, "squared");
  plan.rank = rank;
  plan.root = plan.squares && !squared;
  if (!plan.squares && squared)
    throw conflict({parameter_named("squared"), " is for the euclidean metric, not for " + metric});
  if (chooses_type_of_squares(all))
    throw conflict(
        {parameter_named("type"), " does not apply to squared distances: squares have a type of their own"});
  if (chooses_neighbours_in_vain(all, rank))
    throw conflict({parameter_named("connectivity"), " is for method propagation"});
  if (!plan.squares && propagates(all))
    throw conflict(
        {parameter_named("method"), " propagation is for the euclidean metric, not for " + metric});
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] > std::numeric_limits<std::int32_t>::max())
      throw too_long(shape[axis], std::numeric_limits<std::int32_t>::max(), {});
    if (propagates(all) && shape[axis] > largest_packed_side)
      throw too_long(shape[axis], largest_packed_side, {": use method exact"});
    const auto at = static_cast<std::size_t>(3 - rank + axis);
    plan.spacing[at] = spacing[spacing.size() == 1 ? 0 : static_cast<std::size_t>(axis)].to_double();
    plan.steps[at] = std::max<std::int64_t>(shape[axis] - 1, 0);
  }
  if (!plan.squares) count_in_units(plan);
  measure_axes(plan);
  plan.limit = argument_of<number>(all, "max_distance").to_double();
  return plan;
}

/// A volume with a side of 1 is an image, which engines process faster. Returns the first such side.
inline std::optional<line_axis> side_of_1(const extents& shape) {
  for (int axis = 0; axis < shape.rank(); ++axis)
    if (shape.rank() == 3 && shape[axis] == 1) return static_cast<line_axis>(axis);
  return {};
}

inline distance_plan without_side(distance_plan plan, line_axis side) {
  for (auto axis = static_cast<std::size_t>(side); axis > 0; --axis) {
    plan.spacing[axis] = plan.spacing[axis - 1];
    plan.steps[axis] = plan.steps[axis - 1];
  }
  plan.spacing[0] = 1;
  plan.steps[0] = 0;
  plan.rank = 2;
  measure_axes(plan);
  return plan;
}

/// Drops a side of 1 from a call's images. All images of a call drop the same one, or engines would
/// treat them as different images.
class distance_axes {
 public:
  explicit distance_axes(const call& call, bool all = false)
      : plan_(plan_distances(call.about.name, call.values, call.inputs[0].shape())),
        left_out_(all ? std::nullopt : side_of_1(call.inputs[0].shape())) {
    if (left_out_) plan_ = without_side(plan_, *left_out_);
  }

  const distance_plan& plan() const { return plan_; }
  template <class Image>
  Image of(const Image& image) const {
    return left_out_ ? image.without_side(*left_out_) : image;
  }

 private:
  distance_plan plan_;
  std::optional<line_axis> left_out_;
};

/// Converts a value of the passes to the reported distance.
template <class Value>
double told_distance(const distance_plan& plan, Value value) {
  const auto exact = static_cast<double>(value);
  return plan.squares ? std::sqrt(exact) : plan.unit(exact);
}

/// The greatest integer up to `most` whose reported distance is within the limit.
template <class Value>
Value greatest_within_limit(const distance_plan& plan, Value most) {
  Value within = 0, beyond = most + 1;
  while (within + 1 < beyond) {
    const Value middle = within + (beyond - within) / 2;
    (told_distance(plan, middle) <= plan.limit ? within : beyond) = middle;
  }
  return within;
}

/// The same for floats. limit^2 is rounded and may be too small, so it is only a first guess.
inline double greatest_within_limit(const distance_plan& plan) {
  constexpr double most = std::numeric_limits<double>::max();
  double within = std::min(plan.squares ? plan.limit * plan.limit : plan.limit, most);
  if (!plan.squares) return within;
  while (told_distance(plan, within) > plan.limit) within = std::nextafter(within, 0.0);
  for (double next = within; within < most; within = next) {
    next = std::nextafter(within, most);
    if (told_distance(plan, next) > plan.limit) break;
  }
  return within;
}

template <class Value>
distance_range<Value> range_of(const distance_plan& plan) {
  if constexpr (std::is_floating_point_v<Value>) {
    return {greatest_within_limit(plan), std::numeric_limits<Value>::infinity()};
  } else {
    Value most = 0;  // in integers, because a sum of floats may be rounded down
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto length = static_cast<Value>(plan.spacing[axis]) * static_cast<Value>(plan.steps[axis]);
      most += plan.squares ? length * length : length;
    }
    return {greatest_within_limit(plan, most), most + 1};
  }
}

template <class Value>
axis_cost<Value> cost_of(const distance_plan& plan, line_axis axis) {
  return {static_cast<Value>(plan.spacing[static_cast<std::size_t>(axis)]), plan.squares};
}

/// f32 or f64 as requested; squares of integer distances are integers.
inline dtype distance_type(const arguments& all, dtype, const extents& shape) {
  const auto plan = plan_distances("distance_transform", all, shape);
  if (plan.squares && !plan.root) {
    if (!plan.fits(largest_u64)) return dtype::f64;
    if (flag_of(all, "signed")) return dtype::i64;
    return plan.most() < largest_u32 ? dtype::u32 : dtype::u64;
  }
  return argument_of<std::string>(all, "type") == "f64" ? dtype::f64 : dtype::f32;  // standard too
}

}  // namespace macareu
