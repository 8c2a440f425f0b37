// Random arguments for any operator, from what its description says its parameters take, the outputs to ask
// it for, and label images for those that take them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>

#include "support/dice.hpp"
#include "support/palettes.hpp"
#include "support/scenes.hpp"

namespace macareu::test {

/// A number above the parameter's bound that means something for an image with these values: a step, the
/// distance between two of them, or any; sometimes fractional.
template <class T>
number draw_number(dice& from, const parameter_description& parameter, dtype type,
                   const std::vector<T>& palette) {
  if (type == dtype::boolean && !from.once_in(4)) return 1;
  const auto low = from.pick(palette), high = from.pick(palette);
  const auto kind = from.below(8);
  if (parameter.default_text == "auto" && from.once_in(2)) return std::numeric_limits<double>::quiet_NaN();
  const bool bounded = std::isfinite(parameter.above);
  const double least = bounded ? parameter.above : 0;
  const double small = least + static_cast<double>(from.between(bounded ? 1 : -12, 12));
  if (kind == 0) return small / 4;
  if (kind <= 2) return small;
  if (kind == 3) return static_cast<std::int64_t>(from.between(1, 300));
  if constexpr (std::is_floating_point_v<T>) {
    const auto apart = static_cast<double>(high) - static_cast<double>(low);
    if (apart > least && apart <= std::numeric_limits<T>::max()) return apart;
  } else {
    using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    const auto apart = static_cast<std::uint64_t>(wide{high}) - static_cast<std::uint64_t>(wide{low});
    if (high > low && (kind == 4 || std::cmp_less_equal(apart, std::numeric_limits<T>::max()))) return apart;
  }
  return small;
}

/// None, or some of a few disjoint ones, in values of the palette, which ascend.
template <class T>
std::vector<interval> draw_intervals(dice& from, const std::vector<T>& palette) {
  std::vector<interval> all;
  if (from.once_in(3)) return all;
  for (std::size_t i = 0; i < palette.size() && all.size() < 5; ++i) {
    const auto low = i;
    while (from.once_in(2) && i + 1 < palette.size()) ++i;
    if (all.empty() || all.back().high.to_double() < static_cast<double>(palette[low]))
      if (!from.once_in(4)) all.push_back({palette[low], palette[i]});
  }
  return all;
}

/// Those of a parameter that depend on the pixels.
struct value_draws {
  std::function<number(const parameter_description&)> number_for;
  std::function<std::vector<interval>()> intervals;
};
arguments draw_arguments(dice& from, const operator_description& about, int neighbour_count,
                         const value_draws& draws);

template <class T>
arguments draw_arguments(dice& from, const operator_description& about, dtype type, int neighbour_count,
                         const std::vector<T>& palette) {
  return draw_arguments(
      from, about, neighbour_count,
      {[&](const parameter_description& parameter) { return draw_number(from, parameter, type, palette); },
       [&] { return draw_intervals(from, palette); }});
}

/// Without those that a call gives instead of one of these inputs.
arguments beside(const operator_description& about, std::span<const const_image_view> inputs,
                 arguments given);

/// Which outputs are asked for: optional ones at random, and rarely those that the arguments rule out. The
/// list may end before those that are not.
std::vector<bool> draw_outputs(dice& from, const operator_description& about, const arguments& given);

/// Numbers of objects in the form of a scene's plateaus, or in runs of pixels: few, or many with gaps between
/// them. Negative ones are outside, and rarely one is too large.
template <class T>
void draw_labels(dice& from, dtype type, const scene& s, T* labels) {
  const auto room = type == dtype::boolean ? 1.0 : static_cast<double>(std::numeric_limits<T>::max());
  const auto most = static_cast<std::int64_t>(std::min(from.once_in(3) ? 3000.0 : 6.0, room));
  const auto least = std::is_signed_v<T> && from.once_in(4) ? -from.below(5) : 0;
  const auto draw = [&] { return from.once_in(4) ? T{0} : static_cast<T>(from.between(least, most)); };
  const bool runs = from.once_in(2);
  const int length = static_cast<int>(from.between(1, 9));
  std::vector<T> of_level(static_cast<std::size_t>(s.levels));
  for (auto& label : of_level) label = draw();
  T label = draw();
  for (std::size_t i = 0; i < s.mask.size(); ++i) {
    if (runs && from.once_in(length)) label = draw();
    labels[i] = runs ? label : of_level[s.mask[i]];
  }
  if (type != dtype::boolean && !s.mask.empty() && from.once_in(40))
    labels[from.below(std::ssize(s.mask))] = std::numeric_limits<T>::max();
}

}  // namespace macareu::test
