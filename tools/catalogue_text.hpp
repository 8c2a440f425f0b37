// Shared by the files that are generated from the catalogue.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/catalogue.hpp>

namespace macareu::pages {

inline std::vector<std::string_view> split(std::string_view choices) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto bar = choices.find('|');
    parts.push_back(choices.substr(0, bar));
    if (bar == std::string_view::npos) return parts;
    choices.remove_prefix(bar + 1);
  }
}

/// `signed` is a keyword of C++.
inline std::string member_name(const parameter_description& parameter) {
  return parameter.name == "signed" ? "is_signed" : std::string(parameter.name);
}

/// The spelling of the command line.
inline std::string dashed(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

inline std::string option(std::string_view name) { return "--" + dashed(name); }

/// An example value for a parameter without a default.
inline std::string_view example_value(const parameter_description& parameter) {
  return parameter.name == "low" ? "40" : parameter.name == "high" ? "80" : "20";
}

inline std::vector<parameter_description> required(const operator_description& about) {
  std::vector<parameter_description> found;
  for (const auto& parameter : about.parameters)
    if (parameter.default_text.empty()) found.push_back(parameter);
  return found;
}

/// A shell command with the required arguments of an operator.
inline std::string command_example(const operator_description& about) {
  auto line = "macareu " + std::string(about.verb);
  for (const auto& input : about.inputs)
    if (!input.optional) line += " " + dashed(input.name) + (about.takes_colour ? ".png" : ".npy");
  if (!about.outputs.empty()) line += " -o " + dashed(about.outputs[0].name) + ".npy";
  if (!about.shapes.empty()) line += " -o " + std::string(about.verb) + ".geojson";
  for (const auto& parameter : required(about))
    line += " " + option(parameter.name) + " " + std::string(example_value(parameter));
  return line;
}

}  // namespace macareu::pages
