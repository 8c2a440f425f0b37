#include "conformance/draw_arguments.hpp"

#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace macareu::test {
namespace {

std::vector<std::string> choices_of(const parameter_description& parameter) {
  std::vector<std::string> all;
  for (auto rest = parameter.choices; !rest.empty();) {
    const auto bar = rest.find('|');
    all.emplace_back(rest.substr(0, bar));
    rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
  }
  return all;
}

/// Of parameters that take few numbers, or whose work grows with them. All operators share a name's numbers.
std::optional<number> draw_bounded(dice& from, std::string_view name) {
  if (name == "size") return from.once_in(40) ? 7 : from.once_in(6) ? 5 : 3;
  if (name == "scale") return static_cast<double>(from.between(10, 30)) / 20;
  if (name == "weight") return static_cast<double>(from.between(0, 20)) / 20;
  if (name == "bins") return from.once_in(2) ? from.between(1, 20) : from.between(1, 3000);
  if (name == "blocks")
    return from.once_in(2) ? number(from.between(1, 20)) : number(std::numeric_limits<double>::infinity());
  if (name == "low_percentile") return from.between(0, 40);
  if (name == "high_percentile") return from.between(41, 100);
  if (name == "dimensions") return from.between(1, 2);
  if (name == "axis") return from.between(0, 1);
  if (name == "radius") return static_cast<double>(from.between(0, from.once_in(16) ? 28 : 12)) / 4;
  if (name == "length") return from.between(1, 9);
  if (name == "max_area" || name == "small_area") return from.between(1, 200);
  if (name == "border_weight" || name == "small_weight") return static_cast<double>(from.between(0, 20)) / 10;
  if (name == "truncate") return static_cast<double>(from.between(1, 10)) / 2;
  return std::nullopt;
}

/// Whole numbers, and fractions where they are allowed.
std::vector<number> draw_numbers(dice& from, int count, bool only_whole) {
  std::vector<number> all;
  const bool whole = only_whole || from.once_in(2);
  while (std::ssize(all) < count)
    all.push_back(whole ? number(from.between(1, only_whole ? 5 : 3))
                        : number(static_cast<double>(from.between(1, 40)) / 10));
  return all;
}

/// Signed distances have no places, and labels are for exact distances to what is not zero.
bool may_ask_for(std::string_view output, const arguments& given) {
  if (!given.contains("signed")) return true;
  if (std::get<bool>(given.at("signed"))) return false;
  return output != "labels" ||
         (std::get<bool>(given.at("invert")) && std::get<std::string>(given.at("method")) == "exact");
}

}  // namespace

arguments draw_arguments(dice& from, const operator_description& about, int neighbour_count,
                         const value_draws& draws) {
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
          given.emplace(name, draws.number_for(parameter));
        break;
      case parameter_kind::numbers:
        given.emplace(name, draw_numbers(from, from.once_in(2) ? 1 : rank, parameter.whole));
        if (name == "vectors")
          given.insert_or_assign(name, from.once_in(2) ? std::vector{number(std::nan(""))}
                                                       : draw_numbers(from, from.once_in(2) ? 6 : 9, false));
        if (name == "weights") given.insert_or_assign(name, draw_numbers(from, from.between(1, 9), false));
        if (name == "white") given.insert_or_assign(name, draw_numbers(from, from.once_in(2) ? 1 : 3, false));
        if (about.name == "enlarge")  // not smaller than most images
          for (auto& one : std::get<std::vector<number>>(given.at(name)))
            one = from.once_in(4) ? number(std::nan("")) : number(from.between(20, 30));
        if (name == "window")  // odd
          for (auto& one : std::get<std::vector<number>>(given.at(name)))
            one = 2 * static_cast<std::int64_t>(one.to_double()) + 1;
        if (name == "maximum_error" || name == "thresholds")  // below 1
          for (auto& one : std::get<std::vector<number>>(given.at(name))) one = one.to_double() / 50;
        break;
      case parameter_kind::intervals:
        given.emplace(name, draws.intervals());
        break;
      case parameter_kind::text:  // `keep` of relabel
        if (from.once_in(2))
          given.emplace(name, (from.once_in(4) ? "intensity_sum " : "num_pixels ") +
                                  std::to_string(from.between(1, 9)) + ":" +
                                  (from.once_in(2) ? std::to_string(from.between(9, 99)) : ""));
    }
  }
  if (given.contains("vectors"))  // one or the other
    given.erase(std::isnan(std::get<std::vector<number>>(given.at("vectors"))[0].to_double()) ? "vectors"
                                                                                              : "stains");
  if (given.contains("find_white") && std::get<bool>(given.at("find_white"))) given.erase("white");
  if (given.contains("axes"))
    for (auto& one : std::get<std::vector<number>>(given.at("axes")))
      one = from.between(-1, std::get<number>(given.at("dimensions")).to_double() == 1 ? 0 : 1);
  if (given.contains("squared") && std::get<std::string>(given.at("metric")) != "euclidean") {
    given.insert_or_assign("squared", false);  // there are no others
    given.insert_or_assign("method", std::string("exact"));
  }
  if (given.contains("method") && given.contains("squared")) {  // what would not be looked at is refused
    if (std::get<bool>(given.at("squared"))) given.erase("type");
    if (std::get<std::string>(given.at("method")) == "exact") given.erase("connectivity");
  }
  if (given.contains("flavour"))  // what the other is for is refused
    for (const auto* name : std::get<std::string>(given.at("flavour")) == "itk"
                                ? std::array{"border", "outside"}
                                : std::array{"variance", "maximum_error"})
      given.erase(name);
  if (about.name == "watershed" && !from.once_in(4)) given.erase("h");  // refused beside markers
  if (about.name == "clip" || about.name == "rescale") {
    const auto low = std::get<number>(given.at("low")), high = std::get<number>(given.at("high"));
    if (low.to_double() >= high.to_double()) given.insert_or_assign("high", number(std::nan("")));
  }
  if (about.name == "label_histograms") {
    const double low = std::get<number>(given.at("low")).to_double();
    given.insert_or_assign("high", number(low + static_cast<double>(from.between(1, 400))));
  }
  if (given.contains("intervals") && !std::get<std::vector<interval>>(given.at("intervals")).empty())
    given.insert_or_assign("values", false);  // one or the other
  if (given.contains("background") && !std::get<bool>(given.at("values"))) given.erase("background");
  return given;
}

arguments beside(const operator_description& about, std::span<const const_image_view> inputs,
                 arguments given) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (about.inputs[i].by_option && inputs[i].data())
      for (const auto& parameter : about.parameters)
        if (parameter.is_alternative) given.erase(std::string(parameter.name));
  return given;
}

std::vector<bool> draw_outputs(dice& from, const operator_description& about, const arguments& given) {
  std::vector<bool> asked;
  const bool any = from.once_in(16);
  for (const auto& output : about.outputs)
    asked.push_back(!output.optional || (from.once_in(2) && (any || may_ask_for(output.name, given))));
  while (!asked.back() && from.once_in(2)) asked.pop_back();
  return asked;
}

}  // namespace macareu::test
