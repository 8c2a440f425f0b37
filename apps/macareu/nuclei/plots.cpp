#include "nuclei/plots.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace macareu::tool {
namespace {

using rgb = std::array<std::uint8_t, 3>;

std::string digits_of(double value, int digits = 4) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

/// Stops of matplotlib's viridis, which grows evenly in lightness.
rgb heat(double share) {
  constexpr std::array<std::array<double, 3>, 5> stops{
      {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const auto at = std::clamp(share, 0.0, 1.0) * (stops.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const auto part = at - static_cast<double>(low);
  rgb colour;
  for (std::size_t c = 0; c < 3; ++c)
    colour[c] =
        static_cast<std::uint8_t>(std::lround(stops[low][c] + part * (stops[low + 1][c] - stops[low][c])));
  return colour;
}

std::string hexadecimal(const rgb& colour) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "#";
  for (const auto value : colour) {
    text += digits[value >> 4];
    text += digits[value & 15];
  }
  return text;
}

std::string svg_head(double width, double height, const std::string& title) {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + digits_of(width, 6) + " " +
         digits_of(height, 6) +
         "\" font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" "
         "fill=\"#fff\"/>\n<text x=\"20\" y=\"24\">" +
         title + "</text>\n";
}

std::string svg_text(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + digits_of(x, 6) + "\" y=\"" + digits_of(y, 6) + "\" text-anchor=\"" + anchor + "\">" +
         text + "</text>\n";
}

std::string svg_box(double x, double y, double width, double height, const std::string& colour) {
  return "<rect x=\"" + digits_of(x, 6) + "\" y=\"" + digits_of(y, 6) + "\" width=\"" + digits_of(width, 6) +
         "\" height=\"" + digits_of(height, 6) + "\" fill=\"" + colour + "\"/>\n";
}

/// Of a cell of a density map, in pixels.
std::int64_t side_of_cell(const density_map& map) {
  constexpr std::int64_t about = 768;
  return std::max<std::int64_t>(about / std::max(map.rows, map.columns), 1);
}

}  // namespace

table histogram_of(const slides::nuclei_column& column, std::size_t rows) {
  constexpr std::size_t bins = 64;
  if (rows == 0)
    return {{{"from", std::vector<double>{}},
             {"to", std::vector<double>{}},
             {"count", std::vector<std::int64_t>{}}}};
  double most = 0;
  for (std::size_t i = 0; i < rows; ++i)
    if (std::isfinite(column[i])) most = std::max(most, column[i]);
  if (most == 0) most = 1;
  std::vector<std::int64_t> count(bins);
  for (std::size_t i = 0; i < rows; ++i)
    if (std::isfinite(column[i]))
      ++count[std::min(static_cast<std::size_t>(std::max(column[i], 0.0) / most * bins), bins - 1)];
  std::vector<double> from(bins), to(bins);
  for (std::size_t b = 0; b < bins; ++b) {
    from[b] = most * static_cast<double>(b) / bins;
    to[b] = most * static_cast<double>(b + 1) / bins;
  }
  return {{{"from", std::move(from)}, {"to", std::move(to)}, {"count", std::move(count)}}};
}

std::string histogram_svg(const table& bins, const std::string& title) {
  constexpr double width = 800, height = 400, left = 20, top = 40, plot = 320;
  auto text = svg_head(width, height, title);
  double most = 0;
  for (std::size_t b = 0; b < bins.rows(); ++b) most = std::max(most, bins["count"][b].to_double());
  const auto step = (width - 2 * left) / static_cast<double>(std::max<std::size_t>(bins.rows(), 1));
  for (std::size_t b = 0; b < bins.rows(); ++b) {
    const auto tall = bins["count"][b].to_double() / std::max(most, 1.0) * plot;
    if (tall > 0)
      text += svg_box(left + static_cast<double>(b) * step, top + plot - tall, step * 0.9, tall, "#466ea0");
  }
  text += svg_box(left, top + plot, width - 2 * left, 1, "#282828");
  if (bins.rows() > 0) {
    text += svg_text(left, top + plot + 20, "start", digits_of(bins["from"][0].to_double()));
    text +=
        svg_text(width - left, top + plot + 20, "end", digits_of(bins["to"][bins.rows() - 1].to_double()));
    text += svg_text(width - left, 24, "end", "highest bar: " + digits_of(most, 8) + " nuclei");
  }
  return text + "</svg>\n";
}

double density_map::greatest() const { return per_mm2.empty() ? 0 : std::ranges::max(per_mm2); }

density_map density_of(const slides::nuclei_table& nuclei, double x, double y, double width, double height) {
  constexpr double least_um = 50, most_cells = 96;
  density_map map;
  const auto about = std::max(std::max(width, height) / most_cells, least_um);
  // Equal cells, as near to that as whole numbers of them come.
  const auto count = [&](double side) { return std::max<std::int64_t>(std::llround(side / about), 1); };
  map.rows = count(height);
  map.columns = count(width);
  map.per_mm2.resize(static_cast<std::size_t>(map.rows * map.columns));
  const auto tall = height / static_cast<double>(map.rows), wide = width / static_cast<double>(map.columns);
  const auto &xs = nuclei["centroid_x_um"], &ys = nuclei["centroid_y_um"];
  const auto cell = [](double at, double side, std::int64_t cells) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(at / side), 0, cells - 1);
  };
  for (std::size_t i = 0; i < nuclei.rows(); ++i)
    map.per_mm2[static_cast<std::size_t>(cell(ys[i] - y, tall, map.rows) * map.columns +
                                         cell(xs[i] - x, wide, map.columns))] += 1e6 / (tall * wide);
  return map;
}

image density_picture(const density_map& map) {
  const auto side = side_of_cell(map);
  image picture(dtype::u8, extents{map.rows * side, map.columns * side}, 3);
  const auto pixels = picture.pixels<std::uint8_t>();
  const auto greatest = std::max(map.greatest(), 1.0);
  for (std::int64_t y = 0; y < map.rows * side; ++y)
    for (std::int64_t x = 0; x < map.columns * side; ++x) {
      const auto density = map.per_mm2[static_cast<std::size_t>(y / side * map.columns + x / side)];
      const auto colour = density > 0 ? heat(density / greatest) : rgb{255, 255, 255};
      std::ranges::copy(colour, &pixels[static_cast<std::size_t>(3 * (y * map.columns * side + x))]);
    }
  return picture;
}

std::string density_svg(const density_map& map, const std::string& title) {
  constexpr double left = 20, top = 40, below = 60;
  const auto side = static_cast<double>(side_of_cell(map));
  const auto width = std::max(static_cast<double>(map.columns) * side, 360.0) + 2 * left;
  const auto bottom = top + static_cast<double>(map.rows) * side;
  auto text = svg_head(width, bottom + below, title);
  const auto greatest = std::max(map.greatest(), 1.0);
  for (std::int64_t y = 0; y < map.rows; ++y)
    for (std::int64_t x = 0; x < map.columns; ++x)
      if (const auto density = map.per_mm2[static_cast<std::size_t>(y * map.columns + x)]; density > 0)
        text += svg_box(left + static_cast<double>(x) * side, top + static_cast<double>(y) * side, side, side,
                        hexadecimal(heat(density / greatest)));
  constexpr int steps = 32;
  for (int i = 0; i < steps; ++i)
    text += svg_box(left + i * 5, bottom + 12, 5, 12, hexadecimal(heat((i + 0.5) / steps)));
  text += svg_text(left, bottom + 44, "start", "0");
  text += svg_text(left + steps * 5, bottom + 44, "middle",
                   digits_of(std::round(map.greatest()), 8) + " per mm²");
  return text + "</svg>\n";
}

}  // namespace macareu::tool
