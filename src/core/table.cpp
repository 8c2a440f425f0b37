#include <macareu/table.hpp>

#include <charconv>
#include <cmath>

#include <macareu/error.hpp>

namespace macareu {
namespace {

std::string text_of(const number& value) {
  char text[32];
  return std::visit(
      [&](auto exact) { return std::string(text, std::to_chars(text, text + sizeof text, exact).ptr); },
      value.value());
}

}  // namespace

const table_column& table::operator[](std::string_view column) const {
  for (const auto& each : columns)
    if (each.name == column) return each;
  throw usage_error("the table has no column " + std::string(column));
}

void write_csv(const table& data, const std::function<void(std::string_view)>& write, bool with_names) {
  constexpr std::size_t part = 1 << 16;
  std::string text;
  if (with_names) {
    for (const auto& column : data.columns) text += (text.empty() ? "" : ",") + column.name;
    text += '\n';
  }
  for (std::size_t row = 0; row < data.rows(); ++row) {
    for (std::size_t c = 0; c < data.columns.size(); ++c)
      text += text_of(data.columns[c][row]) + (c + 1 < data.columns.size() ? "," : "\n");
    if (text.size() < part) continue;
    write(text);
    text.clear();
  }
  write(text);
}

std::string to_csv(const table& data) {
  std::string text;
  write_csv(data, [&](std::string_view more) { text += more; });
  return text;
}

std::string to_json(const table& data) {
  std::string text = "[";
  for (std::size_t row = 0; row < data.rows(); ++row) {
    text += row == 0 ? "\n  {" : ",\n  {";
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
      const auto value = data.columns[c][row];
      text += (c == 0 ? "\"" : ", \"") + data.columns[c].name +
              "\": " + (std::isfinite(value.to_double()) ? text_of(value) : "null");
    }
    text += '}';
  }
  return text + (data.rows() > 0 ? "\n]\n" : "]\n");
}

}  // namespace macareu
