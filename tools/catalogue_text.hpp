// What the files made from the catalogue share.
#pragma once

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

/// `signed` is a word of C++ itself.
inline std::string member_name(const parameter_description& parameter) {
  return parameter.name == "signed" ? "is_signed" : std::string(parameter.name);
}

}  // namespace macareu::pages
