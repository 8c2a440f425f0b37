#include "text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

namespace macareu::tool {
namespace {

template <class T>
std::optional<T> number_from(std::string_view text) {
  T value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

template <class T>
std::string digits(T value) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

usage_error wrong(std::string_view option, const std::string& expected, std::string_view text) {
  return usage_error(std::string(option) + ": expected " + expected + ", got " + in_quotes(text));
}

}  // namespace

std::string in_quotes(std::string_view text) { return "'" + one_line(text) + "'"; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace(line, '\n', ' ');
  std::ranges::replace(line, '\r', ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string dashed(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::string option_name(std::string_view parameter) { return "--" + dashed(parameter); }

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const auto& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

std::string for_shell(const std::vector<std::string>& words) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=:,./@%";
  std::vector<std::string> quoted;
  for (const auto& word : words) {
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
      quoted.push_back(word);
      continue;
    }
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
    quoted.push_back(text + "'");
  }
  return joined(quoted, " ");
}

std::string shortest(double value) { return digits(value); }
std::string shortest(float value) { return digits(value); }

std::string did_you_mean(std::string_view text, const std::vector<std::string>& names) {
  return macareu::did_you_mean(text, std::vector<std::string_view>(names.begin(), names.end()));
}

std::int64_t whole_number(std::string_view option, std::string_view text, std::int64_t lowest,
                          std::int64_t highest) {
  const auto value = number_from<std::int64_t>(text);
  if (!value || *value < lowest || *value > highest)
    throw wrong(option, "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest),
                text);
  return *value;
}

std::int64_t memory_size(std::string_view option, std::string_view text) {
  constexpr std::string_view units = "KMGT";
  auto digits = text;
  int shift = 0;
  if (const auto unit = text.empty() ? units.npos : units.find(text.back()); unit != units.npos) {
    shift = 10 * (static_cast<int>(unit) + 1);
    digits.remove_suffix(1);
  }
  const auto count = number_from<std::int64_t>(digits);
  if (!count || *count < 1 || *count > std::numeric_limits<std::int64_t>::max() >> shift)
    throw wrong(option, "a size such as 4G, 500M or a number of bytes", text);
  return *count << shift;
}

double real_number(std::string_view option, std::string_view text, double lowest) {
  const auto value = number_from<double>(text);
  if (!value || !std::isfinite(*value) || *value < lowest)
    throw wrong(option, "a number not below " + shortest(lowest), text);
  return *value;
}

extents shape_from(std::string_view option, std::string_view text) {
  std::vector<std::int64_t> sizes;
  for (const auto& part : split(text, ',')) {
    const auto size = number_from<std::int64_t>(part);
    sizes.push_back(size.value_or(-1));
  }
  if ((sizes.size() != 2 && sizes.size() != 3) || std::ranges::min(sizes) < 0)
    throw wrong(option, "ROWS,COLUMNS or SLICES,ROWS,COLUMNS", text);
  return extents(std::span<const std::int64_t>(sizes));
}

dtype type_from(std::string_view option, std::string_view text) {
  const auto type = dtype_named(text);
  if (!type) throw wrong(option, "bool, i8, u8, i16, u16, i32, u32, i64, u64, f32 or f64", text);
  return *type;
}

std::string choice_from(std::string_view option, std::string_view text, std::string_view names) {
  const auto all = split(names, '|');
  if (std::ranges::find(all, text) == all.end())
    throw wrong(option, all.size() == 1 ? all[0] : "one of " + joined(all, ", "), text);
  return std::string(text);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string page;
  std::size_t column = indent;
  for (const auto& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (column > indent && column + 1 + word.size() > width) {
      page += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      page += ' ';
      ++column;
    }
    page += word;
    column += word.size();
  }
  return page;
}

}  // namespace macareu::tool
