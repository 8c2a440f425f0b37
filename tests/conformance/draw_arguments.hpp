// Random arguments for any operator, from what its description says its parameters take, the outputs to ask
// it for, and label images for those that take them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>

#include "support/dice.hpp"
#include "support/scenes.hpp"

namespace macareu::test {

inline std::vector<std::string> choices_of(const parameter_description& parameter) {
  std::vector<std::string> all;
  for (auto rest = parameter.choices; !rest.empty();) {
    const auto bar = rest.find('|');
    all.emplace_back(rest.substr(0, bar));
    rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
  }
  return all;
}

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

/// Of parameters that take few numbers, or whose work grows with them.
inline std::optional<number> draw_bounded(dice& from, std::string_view name) {
  if (name == "size") return from.once_in(40) ? 7 : from.once_in(6) ? 5 : 3;
  if (name == "weight") return static_cast<double>(from.between(0, 20)) / 20;
  if (name == "bins") return from.once_in(2) ? from.between(1, 20) : from.between(1, 3000);
  if (name == "blocks")
    return from.once_in(2) ? number(from.between(1, 20)) : number(std::numeric_limits<double>::infinity());
  if (name == "truncate") return static_cast<double>(from.between(1, 10)) / 2;
  return std::nullopt;
}

/// Whole numbers and fractions.
inline std::vector<number> draw_numbers(dice& from, int count) {
  std::vector<number> all;
  const bool whole = from.once_in(2);
  while (std::ssize(all) < count)
    all.push_back(whole ? number(from.between(1, 3)) : number(static_cast<double>(from.between(1, 40)) / 10));
  return all;
}

/// None, or some of a few disjoint ones, in values of the palette.
template <class T>
std::vector<interval> draw_intervals(dice& from, std::vector<T> palette) {
  std::vector<interval> all;
  std::erase_if(palette, [](T value) { return value != value; });
  std::ranges::sort(palette);
  if (from.once_in(3)) return all;
  for (std::size_t i = 0; i < palette.size() && all.size() < 5; ++i) {
    const auto low = i;
    while (from.once_in(2) && i + 1 < palette.size()) ++i;
    if (all.empty() || all.back().high.to_double() < static_cast<double>(palette[low]))
      if (!from.once_in(4)) all.push_back({palette[low], palette[i]});
  }
  return all;
}

template <class T>
arguments draw_arguments(dice& from, const operator_description& about, dtype type, int neighbour_count,
                         const std::vector<T>& palette) {
  arguments given;
  const int rank = neighbour_count == 4 || neighbour_count == 8 ? 2 : 3;
  for (const auto& parameter : about.parameters) {
    const std::string name(parameter.name);
    switch (parameter.kind) {
      case parameter_kind::connectivity:
        given.emplace(name, connectivity(neighbour_count));
        break;
      case parameter_kind::choice:
        given.emplace(name, from.pick(choices_of(parameter)));
        break;
      case parameter_kind::flag:
        given.emplace(name, from.once_in(2));
        break;
      case parameter_kind::number:
        if (const auto bounded = draw_bounded(from, name))
          given.emplace(name, *bounded);
        else
          given.emplace(name, draw_number(from, parameter, type, palette));
        break;
      case parameter_kind::numbers:
        given.emplace(name, draw_numbers(from, from.once_in(2) ? 1 : rank));
        if (name == "maximum_error")  // below 1
          for (auto& one : std::get<std::vector<number>>(given.at(name))) one = one.to_double() / 50;
        break;
      case parameter_kind::intervals:
        given.emplace(name, draw_intervals(from, palette));
    }
  }
  if (given.contains("squared") && std::get<std::string>(given.at("metric")) != "euclidean") {
    given.insert_or_assign("squared", false);  // there are no others
    given.insert_or_assign("method", std::string("exact"));
  }
  if (given.contains("method")) {  // what would not be looked at is refused
    if (std::get<bool>(given.at("squared"))) given.erase("type");
    if (std::get<std::string>(given.at("method")) == "exact") given.erase("connectivity");
  }
  if (given.contains("flavour"))  // what the other is for is refused
    for (const auto* name : std::get<std::string>(given.at("flavour")) == "itk"
                                ? std::array{"border", "outside"}
                                : std::array{"variance", "maximum_error"})
      given.erase(name);
  if (given.contains("intervals") && !std::get<std::vector<interval>>(given.at("intervals")).empty())
    given.insert_or_assign("values", false);  // one or the other
  if (given.contains("background") && !std::get<bool>(given.at("values"))) given.erase("background");
  return given;
}

/// Signed distances have no places, and labels are for exact distances to what is not zero.
inline bool may_ask_for(std::string_view output, const arguments& given) {
  if (!given.contains("signed")) return true;
  if (std::get<bool>(given.at("signed"))) return false;
  return output != "labels" ||
         (std::get<bool>(given.at("invert")) && std::get<std::string>(given.at("method")) == "exact");
}

/// Which outputs are asked for: optional ones at random, and rarely those that the arguments rule out. The
/// list may end before those that are not.
inline std::vector<bool> draw_outputs(dice& from, const operator_description& about, const arguments& given) {
  std::vector<bool> asked;
  const bool any = from.once_in(16);
  for (const auto& output : about.outputs)
    asked.push_back(!output.optional || (from.once_in(2) && (any || may_ask_for(output.name, given))));
  while (!asked.back() && from.once_in(2)) asked.pop_back();
  return asked;
}

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
