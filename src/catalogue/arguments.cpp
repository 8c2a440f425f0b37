// Parses arguments, and fills in defaults.
#include "catalogue/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <macareu/error.hpp>

namespace macareu {
namespace {

/// Of a parameter that is a number or several; empty if it may be any.
std::string range_text(const parameter_description& parameter) {
  std::string text;
  if (std::isfinite(parameter.above))
    text = (parameter.or_equal ? "at least " : "greater than ") + to_string(number(parameter.above));
  if (std::isfinite(parameter.most))
    text += (text.empty() ? "at most " : " and at most ") + to_string(number(parameter.most));
  return text;
}

constexpr std::string_view infinity = "inf", automatic = "auto";

std::string numbers_text(const parameter_description& parameter, const char* what) {
  std::string text = what;
  if (parameter.whole) text.insert(text.rfind("number"), "whole ");
  const auto range = range_text(parameter);
  if (range.empty()) return text;
  return text + (range.starts_with("at") ? " of " : " ") + range;
}

bool may_be(std::string_view word, const parameter_description& parameter) {
  return parameter.default_text == word;
}

std::string takes(const parameter_description& parameter) {
  switch (parameter.kind) {
    case parameter_kind::connectivity:
      return "4, 8, 6, 18, 26, face, edge or full";
    case parameter_kind::choice:
      return "one of " + std::string(parameter.choices);
    case parameter_kind::flag:
      return "true or false";
    case parameter_kind::number:
      return numbers_text(parameter, "a number") + (may_be(infinity, parameter) ? ", or inf" : "") +
             (may_be(automatic, parameter) ? ", or auto" : "");
    case parameter_kind::numbers:
      return numbers_text(parameter, "numbers") + ", separated by commas" +
             (may_be(automatic, parameter) ? ", or auto" : "");
    case parameter_kind::intervals:
      return "intervals LOW:HIGH, separated by commas, or none";
    case parameter_kind::text:
      return "text";
  }
  throw internal_error("no such kind of parameter");
}

call_error wrong(const parameter_description& parameter, std::string_view text) {
  const auto allowed = takes(parameter);
  return call_error({.kind = fault::value,
                     .parts = {parameter_named(parameter.name),
                               ": expected " + allowed + ", got '" + std::string(text) + "'"},
                     .given = std::string(text),
                     .allowed = allowed});
}

template <class T>
std::optional<T> whole(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<number> parse_number(std::string_view text) {
  if (const auto value = whole<std::int64_t>(text)) return number(*value);
  if (const auto value = whole<std::uint64_t>(text)) return number(*value);
  if (const auto value = whole<double>(text); value && std::isfinite(*value)) return number(*value);
  return std::nullopt;
}

std::optional<std::vector<number>> parse_numbers(std::string_view text) {
  std::vector<number> all;
  while (true) {
    const auto comma = text.find(',');
    const auto one = parse_number(text.substr(0, comma));
    if (!one) return std::nullopt;
    all.push_back(*one);
    if (comma == std::string_view::npos) return all;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::vector<interval>> parse_intervals(std::string_view text) {
  std::vector<interval> all;
  if (text == "none") return all;
  while (true) {
    const auto comma = text.find(',');
    const auto one = text.substr(0, comma);
    const auto colon = one.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const auto low = parse_number(one.substr(0, colon)), high = parse_number(one.substr(colon + 1));
    if (!low || !high) return std::nullopt;
    all.push_back({*low, *high});
    if (comma == std::string_view::npos) return all;
    text.remove_prefix(comma + 1);
  }
}

bool in_range(const parameter_description& parameter, const number& value) {
  const double v = value.to_double();
  if (std::isnan(v)) return may_be(automatic, parameter);
  if (v > parameter.most || (parameter.whole && std::isfinite(v) && v != std::floor(v))) return false;
  return (v > parameter.above || (parameter.or_equal && v == parameter.above)) &&
         (std::isfinite(v) || may_be(infinity, parameter));
}

bool is_choice(std::string_view choices, std::string_view text) {
  while (true) {
    const auto bar = choices.find('|');
    if (choices.substr(0, bar) == text) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

bool of_its_kind(const parameter_description& parameter, const argument& value) {
  switch (parameter.kind) {
    case parameter_kind::connectivity:
      return std::holds_alternative<connectivity>(value);
    case parameter_kind::choice:
    case parameter_kind::text:
      return std::holds_alternative<std::string>(value);
    case parameter_kind::flag:
      return std::holds_alternative<bool>(value);
    case parameter_kind::number:
      return std::holds_alternative<number>(value);
    case parameter_kind::numbers:
      return std::holds_alternative<std::vector<number>>(value);
    case parameter_kind::intervals:
      return std::holds_alternative<std::vector<interval>>(value);
  }
  throw internal_error("no such kind of parameter");
}

/// Checks a value that already is of the parameter's kind.
void check(const parameter_description& parameter, const argument& value) {
  const bool fits = [&] {
    switch (parameter.kind) {
      case parameter_kind::connectivity:
      case parameter_kind::flag:
      case parameter_kind::text:
        return true;
      case parameter_kind::choice:
        return is_choice(parameter.choices, std::get<std::string>(value));
      case parameter_kind::number:
        return in_range(parameter, std::get<number>(value));
      case parameter_kind::numbers: {
        const auto& all = std::get<std::vector<number>>(value);
        return !all.empty() &&
               std::ranges::all_of(all, [&](const number& one) { return in_range(parameter, one); });
      }
      case parameter_kind::intervals:
        return std::ranges::all_of(std::get<std::vector<interval>>(value), [](const interval& one) {
          return one.low.to_double() <= one.high.to_double();
        });
    }
    return false;
  }();
  if (!fits) throw wrong(parameter, to_string(value));
}

std::vector<std::string_view> parameter_names(const operator_description& about) {
  std::vector<std::string_view> names;
  for (const auto& parameter : about.parameters) names.push_back(parameter.name);
  return names;
}

}  // namespace

std::string help_text(const parameter_description& parameter) {
  std::string help(parameter.help);
  if (parameter.kind == parameter_kind::number || parameter.kind == parameter_kind::numbers)
    if (const auto range = range_text(parameter); !range.empty()) help += "; " + range;
  return help;
}

std::string to_string(const number& value) {
  char text[32];
  return std::visit([&](auto v) { return std::string(text, std::to_chars(text, text + sizeof text, v).ptr); },
                    value.value());
}

std::string to_string(const argument& value) {
  struct {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(const number& v) const { return to_string(v); }
    std::string operator()(const std::string& v) const { return v; }
    std::string operator()(const connectivity& v) const { return v.name(); }
    std::string operator()(const std::vector<number>& all) const {
      std::string joined;
      for (const auto& v : all) joined += (joined.empty() ? "" : ",") + to_string(v);
      return joined;
    }
    std::string operator()(const std::vector<interval>& all) const {
      std::string joined;
      for (const auto& [low, high] : all)
        joined += (joined.empty() ? "" : ",") + to_string(low) + ":" + to_string(high);
      return joined.empty() ? "none" : joined;
    }
  } text;
  return std::visit(text, value);
}

argument parse_argument(const parameter_description& parameter, std::string_view text) {
  const auto value = [&]() -> std::optional<argument> {
    switch (parameter.kind) {
      case parameter_kind::connectivity:
        if (const auto parsed = connectivity::named(text)) return *parsed;
        return std::nullopt;
      case parameter_kind::choice:
      case parameter_kind::text:
        return std::string(text);
      case parameter_kind::flag:
        if (text != "true" && text != "false") return std::nullopt;
        return text == "true";
      case parameter_kind::number:
        if (text == infinity) return number(std::numeric_limits<double>::infinity());
        if (text == automatic) return number(std::numeric_limits<double>::quiet_NaN());
        if (const auto parsed = parse_number(text)) return *parsed;
        return std::nullopt;
      case parameter_kind::numbers:
        if (text == automatic) return std::vector{number(std::numeric_limits<double>::quiet_NaN())};
        if (const auto parsed = parse_numbers(text)) return *parsed;
        return std::nullopt;
      case parameter_kind::intervals:
        if (const auto parsed = parse_intervals(text)) return *parsed;
        return std::nullopt;
    }
    return std::nullopt;
  }();
  if (!value) throw wrong(parameter, text);
  check(parameter, *value);
  return *value;
}

const arguments& complete_arguments(const operator_description& about, const arguments& given,
                                    arguments& room) {
  std::size_t found = 0;
  bool as_given = true;
  for (const auto& parameter : about.parameters)
    if (const auto own = given.find(parameter.name); own != given.end()) {
      if (of_its_kind(parameter, own->second))
        check(parameter, own->second);
      else
        as_given = false;
      ++found;
    } else if (parameter.default_text.empty()) {
      throw call_error({.kind = fault::missing,
                        .operation = std::string(about.name),
                        .parts = {parameter_named(parameter.name), " is missing: give " + takes(parameter)},
                        .allowed = takes(parameter)});
    }
  if (found < given.size())
    for (const auto& [name, value] : given)
      if (std::ranges::find(about.parameters, name, &parameter_description::name) == about.parameters.end())
        throw call_error({.kind = fault::unknown,
                          .operation = std::string(about.name),
                          .parts = {"no such parameter: ", parameter_named(name),
                                    did_you_mean(name, parameter_names(about))},
                          .given = name});
  if (as_given && found == about.parameters.size()) return given;
  room = given;
  for (const auto& parameter : about.parameters)
    if (const auto own = room.find(parameter.name); own == room.end())
      room.emplace(parameter.name, parse_argument(parameter, parameter.default_text));
    else if (!of_its_kind(parameter, own->second))
      own->second = parse_argument(parameter, to_string(own->second));
  return room;
}

std::optional<std::array<std::int64_t, 3>> wanted_pieces(const operator_description& about,
                                                         const arguments& given) {
  const auto named = std::ranges::find_if(about.parameters, &parameter_description::is_block);
  if (named == about.parameters.end()) return std::nullopt;
  const auto found = given.find(named->name);
  if (found == given.end()) return std::nullopt;
  const auto slices = std::get<number>(found->second).to_double();
  if (!std::isfinite(slices)) return std::nullopt;
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  const auto thickness = static_cast<std::int64_t>(std::clamp(slices, 1.0, most));
  return std::array<std::int64_t, 3>{thickness, thickness, 0};
}

}  // namespace macareu
