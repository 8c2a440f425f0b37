// The columns of a table as a page loads them: in blocks of rows, with what histograms need.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <macareu/table.hpp>

#include "core/ceil_div.hpp"

namespace macareu::pages {

/// Rows in a file.
inline constexpr std::size_t rows_in_block = 16384;

/// Finds rows by their column `label`.
class row_index {
 public:
  /// Throws usage_error if there is no such column, a value is not a label, or two rows have the same one.
  explicit row_index(const table& objects);
  std::size_t rows() const { return rows_; }
  std::optional<std::uint32_t> operator[](std::uint64_t label) const;

 private:
  std::size_t rows_;
  bool in_order_ = false;  ///< row r has label r + 1
  std::unordered_map<std::uint64_t, std::uint32_t> row_of_;
};

class column_files {
 public:
  /// The table must outlive this object.
  explicit column_files(const table& objects);

  std::size_t count() const { return about_.size(); }
  std::size_t blocks() const { return ceil_div(table_.rows(), rows_in_block); }
  /// A list for meta.js: name, kind, range and histogram of each column.
  std::string description() const;
  /// The bytes of a block of a column.
  std::string block(std::size_t column, std::size_t number) const;

 private:
  struct about {
    bool whole = false;  ///< integers whose range fits 32 bits
    double low = 0, high = 0;
    /// The histogram's ends: a few outliers, which are in its first and last bin, do not decide.
    double first = 0, last = 0;
    std::vector<std::uint32_t> bins = {};
  };

  const table& table_;
  std::vector<about> about_;
};

}  // namespace macareu::pages
