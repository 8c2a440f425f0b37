// Plan of a labelling, checked against the shape, and the type that can number every possible object.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "operators/objects/labels/object_rules.hpp"

namespace macareu {

/// Exact also for integers that a double does not hold.
inline bool below(const number& a, const number& b) {
  return std::visit(
      [](auto left, auto right) {
        if constexpr (std::is_integral_v<decltype(left)> && std::is_integral_v<decltype(right)>)
          return std::cmp_less(left, right);
        else
          return static_cast<double>(left) < static_cast<double>(right);
      },
      a.value(), b.value());
}

inline void check_intervals(const std::vector<interval>& all) {
  const auto text = [](const interval& one) { return to_string(one.low) + ":" + to_string(one.high); };
  constexpr auto most = same_interval<double>::most;
  if (all.size() > most)
    throw call_error(
        {.kind = fault::value,
         .operation = "label",
         .parts = {parameter_named("intervals"), ": " + std::to_string(all.size()) + " are more than the " +
                                                     std::to_string(most) + " allowed"},
         .given = std::to_string(all.size()),
         .allowed = "up to " + std::to_string(most)});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!below(all[i].high, all[j].low) && !below(all[j].high, all[i].low))
        throw call_error(
            {.kind = fault::value,
             .operation = "label",
             .parts = {parameter_named("intervals"), " " + text(all[j]) + " and " + text(all[i]) +
                                                         " overlap: a value must lie in one interval only"},
             .given = text(all[j]) + "," + text(all[i])});
}

/// Upper bound of the number of objects in an image of this shape.
inline std::int64_t most_objects(const extents& shape, bool several_classes, const connectivity& near) {
  if (several_classes) return shape.pixels();
  if (near.reach(shape.rank()) < shape.rank()) return shape.pixels() / 2 + shape.pixels() % 2;
  std::int64_t most = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) most *= shape[axis] / 2 + shape[axis] % 2;
  return most;
}

inline dtype label_type_for(const arguments& all, dtype, const extents& shape) {
  const auto& intervals = std::get<std::vector<interval>>(all.find("intervals")->second);
  const bool values = std::get<bool>(all.find("values")->second);
  check_intervals(intervals);
  if (values && !intervals.empty())
    throw call_error({.kind = fault::conflict,
                      .operation = "label",
                      .parts = {parameter_named("values"), " and ", parameter_named("intervals"),
                                " exclude each other: give one of them"}});
  if (!values && std::get<number>(all.find("background")->second).to_double() != 0)
    throw call_error({.kind = fault::conflict,
                      .operation = "label",
                      .parts = {parameter_named("background"), " is for ", parameter_named("values"),
                                ", which is not given"}});
  const auto most = most_objects(shape, values || !intervals.empty(),
                                 std::get<connectivity>(all.find("connectivity")->second));
  const bool wide = std::get<std::string>(all.find("type")->second) == "u64" ||
                    most > std::int64_t{std::numeric_limits<std::uint32_t>::max()};
  return wide ? dtype::u64 : dtype::u32;
}

}  // namespace macareu
