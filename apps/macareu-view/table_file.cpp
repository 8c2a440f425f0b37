#include "table_file.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/text_file.hpp>

namespace macareu::tool {
namespace {

/// The fields of a line; quotes are taken away, and two of them inside are one.
void split_fields(std::string_view line, std::vector<std::string>& fields) {
  fields.assign(1, {});
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
}

std::optional<double> number_in(const std::string& field) {
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size() ? std::optional(value) : std::nullopt;
}

/// Whole numbers stay whole, so that a page shows them with all digits.
bool all_whole(const std::vector<double>& values) {
  for (const auto value : values)
    if (!(std::abs(value) < 0x1p53) || value != std::floor(value)) return false;
  return true;
}

}  // namespace

table read_table(const std::filesystem::path& file) {
  struct column {
    std::string name;
    bool numbers = true;
    std::vector<double> values = {};
  };
  std::vector<column> columns;
  std::vector<std::string> fields;
  std::size_t line_number = 0;
  read_lines(file, [&](std::string_view line) {
    ++line_number;
    if (line.empty()) return;
    if (line_number == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
    split_fields(line, fields);
    if (columns.empty()) {
      for (auto& name : fields) columns.push_back({std::move(name)});
      return;
    }
    if (fields.size() != columns.size())
      throw io_error(file.string(), "line " + std::to_string(line_number) + " has " +
                                        std::to_string(fields.size()) + " fields, and the first has " +
                                        std::to_string(columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto value = number_in(fields[c]);
      columns[c].numbers = columns[c].numbers && value;
      columns[c].values.push_back(value.value_or(0));
    }
  });
  if (columns.empty()) throw io_error(file.string(), "has no line with the names of columns");
  table result;
  for (auto& [name, numbers, values] : columns) {
    if (!numbers) continue;
    if (all_whole(values))
      result.columns.push_back({std::move(name), std::vector<std::int64_t>(values.begin(), values.end())});
    else
      result.columns.push_back({std::move(name), std::move(values)});
  }
  return result;
}

}  // namespace macareu::tool
