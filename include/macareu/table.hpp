// Tables of measurements: named columns of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <macareu/number.hpp>

namespace macareu {

struct table_column {
  std::string name;
  std::variant<std::vector<std::int64_t>, std::vector<std::uint64_t>, std::vector<double>> values;

  std::size_t size() const {
    return std::visit([](const auto& all) { return all.size(); }, values);
  }
  number operator[](std::size_t row) const {
    return std::visit([&](const auto& all) { return number(all[row]); }, values);
  }
  bool operator==(const table_column&) const = default;
};

struct table {
  std::vector<table_column> columns;

  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
  /// Throws usage_error if there is no such column.
  const table_column& operator[](std::string_view column) const;
  bool operator==(const table&) const = default;
};

/// A line of names, then one line per row. Numbers have the shortest text that preserves their value.
std::string to_csv(const table& data);
/// The same in parts, for long tables. Without names: rows that follow others.
void write_csv(const table& data, const std::function<void(std::string_view)>& write, bool with_names = true);
/// A list of objects, one per row. NaN and infinity become null.
std::string to_json(const table& data);

}  // namespace macareu
