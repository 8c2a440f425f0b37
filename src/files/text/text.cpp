#include "files/text/text.hpp"

#include <algorithm>

namespace macareu::files {
namespace {

constexpr std::string_view spaces = " \t\n\v\f\r";

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    result.push_back(text.substr(0, text.find_first_of(spaces)));
    text.remove_prefix(result.back().size());
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > longest ? "...'" : "'");
}

}  // namespace macareu::files
