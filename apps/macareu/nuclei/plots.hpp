// Plots of nuclei: histograms and a map of their density, as pictures and as SVG.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <macareu/image.hpp>
#include <macareu/table.hpp>

#include "slides/outputs/nuclei_table.hpp"

namespace macareu::tool {

/// Bins of a column from 0 to its greatest value: from, to and count.
table histogram_of(const slides::nuclei_column& column, std::size_t rows);
std::string histogram_svg(const table& bins, const std::string& title);

/// Nuclei per mm^2 in the cells of a grid.
struct density_map {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> per_mm2;

  double greatest() const;
};

/// `width` and `height` in um, of the part that begins at (x, y) in um.
density_map density_of(const slides::nuclei_table& nuclei, double x, double y, double width, double height);
image density_picture(const density_map& map);
std::string density_svg(const density_map& map, const std::string& title);

}  // namespace macareu::tool
