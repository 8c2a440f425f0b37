#include "operators/objects/labels/column_ranges.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include <macareu/error.hpp>

#include "operators/objects/measures/object_table.hpp"

namespace macareu {
namespace {

call_error wrong_text(const call& call, std::string_view given, const std::string& allowed) {
  return call_error(
      {.kind = fault::value,
       .operation = std::string(call.about.name),
       .parts = {parameter_named("keep"), ": expected " + allowed + ", got '" + std::string(given) + "'"},
       .given = std::string(given),
       .allowed = allowed});
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// An end that is left out is open.
std::optional<double> end_of_range(std::string_view text, double open) {
  if (text.empty()) return open;
  double value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

column_range range_from(const call& call, std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto blank = text.find_first_of(" ="), colon = text.find(':');
  if (blank != std::string_view::npos && colon != std::string_view::npos && blank < colon) {
    const auto low = end_of_range(trimmed(text.substr(blank + 1, colon - blank - 1)), -infinity),
               high = end_of_range(trimmed(text.substr(colon + 1)), infinity);
    if (low && high && *low <= *high) return {std::string(text.substr(0, blank)), *low, *high};
  }
  throw wrong_text(call, text, "ranges COLUMN LOW:HIGH, separated by commas, or all");
}

/// "label, num_pixels, area, bbox-i, ...": without indices, of which there may be nine.
std::string listed(const std::vector<std::string_view>& names) {
  std::string all, last;
  for (const auto name : names) {
    std::string general(name.substr(0, name.find('-')));
    char axis = 'i';
    for (const char letter : name.substr(general.size()))
      if (letter == '-') general += {'-', axis++};
    if (general != last) all += (all.empty() ? "" : ", ") + general;
    last = general;
  }
  return all;
}

/// Throws if objects have no such column. Returns whether it is of intensities.
bool is_of_intensity(const call& call, std::string_view column) {
  const auto has = [&](const table& objects) {
    return std::ranges::find(objects.columns, column, &table_column::name) != objects.columns.end();
  };
  if (has(room_for_objects(0, {.rank = call.rank()}))) return false;
  const auto all = room_for_objects(0, {.rank = call.rank(), .intensity = true});
  if (!has(all)) {
    std::vector<std::string_view> names;
    for (const auto& one : all.columns) names.push_back(one.name);
    throw call_error(
        {.kind = fault::value,
         .operation = std::string(call.about.name),
         .parts = {parameter_named("keep"), ": objects have no column '" + std::string(column) + "'" +
                                                did_you_mean(column, names) + ", only " + listed(names)},
         .given = std::string(column)});
  }
  if (!call.has_input(1))
    throw call_error({.kind = fault::missing,
                      .operation = std::string(call.about.name),
                      .parts = {parameter_named("keep"), " " + std::string(column) + ": expected the image ",
                                input_named("intensity"), ", got none"},
                      .given = "none",
                      .allowed = "an image"});
  return true;
}

}  // namespace

std::vector<column_range> kept_ranges(const call& call) {
  std::vector<column_range> ranges;
  std::string_view text = call.choice("keep");
  if (text == "all") return ranges;
  while (true) {
    const auto comma = text.find(',');
    ranges.push_back(range_from(call, trimmed(text.substr(0, comma))));
    ranges.back().of_intensity = is_of_intensity(call, ranges.back().column);
    if (comma == std::string_view::npos) return ranges;
    text.remove_prefix(comma + 1);
  }
}

void over_labels_in_ranges(const table& objects, const std::vector<column_range>& ranges,
                           function_ref<void(std::uint64_t)> take) {
  const auto& labels = objects["label"];
  std::vector<const table_column*> columns;
  for (const auto& range : ranges) columns.push_back(&objects[range.column]);
  for (std::size_t row = 0; row < objects.rows(); ++row) {
    bool inside = true;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const double value = (*columns[i])[row].to_double();
      inside = inside && value >= ranges[i].low && value <= ranges[i].high;  // NaN is in none
    }
    if (inside) take(static_cast<std::uint64_t>(labels[row].to_double()));
  }
}

}  // namespace macareu
