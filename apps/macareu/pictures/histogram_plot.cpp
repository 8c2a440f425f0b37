#include "pictures/histogram_plot.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace macareu::tool {
namespace {

using colour = std::array<std::uint8_t, 3>;
constexpr colour white{255, 255, 255}, ink{40, 40, 40}, bars{70, 110, 160};
constexpr std::array<colour, 4> channels{{{200, 40, 40}, {30, 140, 60}, {40, 70, 200}, {120, 120, 120}}};

constexpr std::int64_t left = 12, top = 28, plot_width = 768, plot_height = 320, bottom = 28;
constexpr std::int64_t width = plot_width + 2 * left, height = top + plot_height + bottom;

/// Rows of five bits, the highest on the left.
struct glyph {
  char letter;
  std::array<std::uint8_t, 7> rows;
};
constexpr glyph font[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 2, 4, 8, 31}},     {'3', {31, 2, 4, 2, 1, 17, 14}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'+', {0, 4, 4, 31, 4, 4, 0}},       {'e', {0, 0, 14, 17, 31, 16, 14}},
};
constexpr std::int64_t glyph_width = 6, zoom = 2;

class plot_canvas {
 public:
  plot_canvas() : picture_(dtype::u8, extents{height, width}, 3) {
    std::ranges::fill(picture_.pixels<std::uint8_t>(), white[0]);
  }

  void rectangle(std::int64_t x, std::int64_t y, std::int64_t w, std::int64_t h, const colour& c) {
    const auto pixels = picture_.pixels<std::uint8_t>();
    for (auto row = std::max<std::int64_t>(y, 0); row < std::min(y + h, height); ++row)
      for (auto column = std::max<std::int64_t>(x, 0); column < std::min(x + w, width); ++column)
        for (std::size_t i = 0; i < c.size(); ++i)
          pixels[static_cast<std::size_t>(3 * (row * width + column)) + i] = c[i];
  }

  void text(std::int64_t x, std::int64_t y, std::string_view letters) {
    for (const char letter : letters) {
      for (const auto& each : font)
        if (each.letter == letter) draw(x, y, each);
      x += glyph_width * zoom;
    }
  }

  image take() { return std::move(picture_); }

 private:
  void draw(std::int64_t x, std::int64_t y, const glyph& shape) {
    for (std::int64_t row = 0; row < 7; ++row)
      for (std::int64_t column = 0; column < 5; ++column)
        if (shape.rows[static_cast<std::size_t>(row)] >> (4 - column) & 1)
          rectangle(x + column * zoom, y + row * zoom, zoom, zoom, ink);
  }

  image picture_;
};

std::string short_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr};
}

/// The largest count among the bins of each column of the plot, so that a narrow peak is never lost.
std::vector<double> columns_of(const std::vector<double>& counts) {
  std::vector<double> columns(static_cast<std::size_t>(plot_width));
  const auto bins = std::ssize(counts);
  for (std::int64_t x = 0; x < plot_width; ++x) {
    const auto first = x * bins / plot_width, last = std::max(first + 1, (x + 1) * bins / plot_width);
    columns[static_cast<std::size_t>(x)] = *std::max_element(counts.begin() + first, counts.begin() + last);
  }
  return columns;
}

/// The counts of each channel.
std::vector<std::vector<double>> series_of(const table& data) {
  const bool several = data.columns[0].name == "channel";
  std::vector<std::vector<double>> all;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const auto channel = several ? static_cast<std::size_t>(data["channel"][row].to_double()) : 0;
    if (all.size() <= channel) all.emplace_back();
    all[channel].push_back(data["count"][row].to_double());
  }
  return all;
}

}  // namespace

image histogram_plot(const table& data) {
  plot_canvas picture;
  const auto baseline = top + plot_height;
  picture.rectangle(left, baseline, plot_width, 1, ink);
  if (data.rows() == 0) return picture.take();
  const auto series = series_of(data);
  double most = 1;
  for (const auto& counts : series) most = std::max(most, *std::ranges::max_element(counts));
  for (std::size_t s = 0; s < series.size(); ++s) {
    std::int64_t before = 0;
    const auto columns = columns_of(series[s]);
    for (std::int64_t x = 0; x < plot_width; ++x) {
      const std::int64_t tall = std::llround(columns[static_cast<std::size_t>(x)] / most * plot_height);
      if (series.size() == 1) {
        picture.rectangle(left + x, baseline - tall, 1, tall, bars);
      } else {
        const auto from = x == 0 ? tall : before;
        picture.rectangle(left + x, baseline - std::max(tall, from) - 1, 1, std::abs(tall - from) + 2,
                          channels[std::min(s, channels.size() - 1)]);
      }
      before = tall;
    }
  }
  const auto low = short_text(data["from"][0].to_double());
  const auto high = short_text(data["to"][data.rows() - 1].to_double());
  picture.text(left, 6, short_text(most));
  picture.text(left, baseline + 8, low);
  picture.text(width - left - static_cast<std::int64_t>(high.size()) * glyph_width * zoom, baseline + 8,
               high);
  return picture.take();
}

}  // namespace macareu::tool
