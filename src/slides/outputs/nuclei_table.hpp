// Measurements of nuclei: one row each, for CSV and for GeoJSON.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/table.hpp>

#include "slides/outputs/stain_sums.hpp"
#include "slides/outputs/uuid.hpp"

namespace macareu::slides {

/// values * scale + offset.
struct nuclei_column {
  std::string name;         ///< in CSV, with its unit
  std::string measurement;  ///< in GeoJSON, as QuPath spells it; empty where it is not there
  int decimals = 4;
  std::shared_ptr<const std::vector<double>> values;
  double scale = 1, offset = 0;

  double operator[](std::size_t row) const { return (*values)[row] * scale + offset; }
};

/// Where a slide's nuclei are and what they are called.
struct slide_place {
  std::string checksum;       ///< of the slide, for the ids of nuclei
  double mpp = 1;             ///< size of a pixel in micrometres
  std::int64_t x = 0, y = 0;  ///< the first pixel of the analysed part, in level 0
};

class nuclei_table {
 public:
  /// `shapes` is the table of `measure` with pixels of size mpp.
  nuclei_table(const table& shapes, stain_sums sums, const slide_place& place);

  std::size_t rows() const { return rows_; }
  const std::vector<nuclei_column>& columns() const { return columns_; }
  /// By its name in CSV.
  const nuclei_column& operator[](std::string_view name) const;
  uuid id(std::size_t row) const;
  /// The id of something else that begins at a pixel of the analysed part.
  uuid id(std::string_view what, std::int64_t x, std::int64_t y) const;

  /// Adds the columns of cells: their table of `measure`.
  void add_cells(const table& cells);
  /// Nuclei whose mean density of the stain is above the limit are positive.
  void classify(std::string_view column, double above);
  bool classified() const { return !positive_.empty(); }
  bool positive(std::size_t row) const { return positive_[row] != 0; }

  /// A line of names, without its end.
  std::string csv_head() const;
  /// Appends a line.
  void append_csv(std::string& to, std::size_t row) const;
  /// Appends {"name":value,...}.
  void append_measurements(std::string& to, std::size_t row) const;

 private:
  void add(std::string name, std::string measurement, std::vector<double> values, int decimals = 4);
  void add_stain(const stain_column& stain);

  std::size_t rows_;
  slide_place place_;
  uuid slide_id_;
  std::vector<std::uint32_t> first_y_, first_x_, pixels_;
  std::vector<std::uint8_t> positive_;
  std::vector<nuclei_column> columns_;
};

/// Appends a number with at most so many decimals. Without a value: `none`.
void append_fixed(std::string& to, double value, int decimals, std::string_view none);

}  // namespace macareu::slides
