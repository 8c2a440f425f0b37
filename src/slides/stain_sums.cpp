#include "slides/stain_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <macareu/error.hpp>

namespace macareu::slides {
namespace {

/// Labelled pixels of an area, without those between them.
struct labelled_pixels {
  std::vector<std::uint32_t> label;
  std::vector<std::uint8_t> colour;

  void clear() {
    label.clear();
    colour.clear();
  }
};

/// Adds the labelled pixels of a tile, and notes first pixels.
void collect(const image_region& where, const std::vector<std::uint32_t>& labels,
             const std::vector<std::uint8_t>& colours, labelled_pixels& to, stain_sums& sums) {
  std::size_t i = 0;
  for (std::int64_t y = where.first[1]; y < where.first[1] + where.size[1]; ++y)
    for (std::int64_t x = where.first[2]; x < where.first[2] + where.size[2]; ++x, ++i) {
      if (labels[i] == 0) continue;
      const auto row = labels[i] - 1;
      to.label.push_back(row);
      to.colour.insert(to.colour.end(), &colours[3 * i], &colours[3 * i] + 3);
      ++sums.pixels[row];
      const auto own_y = static_cast<std::uint32_t>(y), own_x = static_cast<std::uint32_t>(x);
      if (own_y < sums.first_y[row] || (own_y == sums.first_y[row] && own_x < sums.first_x[row])) {
        sums.first_y[row] = own_y;
        sums.first_x[row] = own_x;
      }
    }
}

void add_amounts(const labelled_pixels& from, const arguments& how, const context& run, stain_sums& to) {
  const auto count = static_cast<std::int64_t>(from.label.size());
  if (count == 0) return;
  const extents shape{1, count};
  const const_image_view colours(from.colour.data(), dtype::u8, shape, contiguous_strides(shape, 3), 3);
  const auto all = run_operator(*find_operator("unmix"), std::array{colours}, how, run);
  const auto amounts = all[0].pixels<float>();
  for (std::size_t s = 0; s < to.stains.size(); ++s) {
    auto& stain = to.stains[s];
    for (std::size_t i = 0; i < from.label.size(); ++i) {
      const auto row = from.label[i];
      const auto amount = amounts[3 * i + s];
      const auto whole = static_cast<std::int64_t>(std::lround(amount / stain_column::unit));
      stain.sum[row] += whole;
      stain.squares[row] += whole * whole;
      stain.least[row] = std::min(stain.least[row], amount);
      stain.most[row] = std::max(stain.most[row], amount);
    }
  }
}

}  // namespace

arguments unmixing(const nuclei_options& options, const std::array<double, 3>& white) {
  arguments all{{"density", std::string("optical")},
                {"unit_vectors", true},
                {"white", std::vector<number>(white.begin(), white.end())},
                {"stains", std::string(options.stain_set == "h-dab" ? "h_dab" : "h_e")}};
  if (!options.stains.empty())
    all["vectors"] = std::vector<number>(options.stains.begin(), options.stains.end());
  return all;
}

std::vector<std::string> stain_names(const nuclei_options& options) {
  std::vector<std::string> names{"Hematoxylin", options.stain_set == "h-dab" ? "DAB" : "Eosin"};
  if (options.stains.size() == 9) names.emplace_back("Residual");
  return names;
}

stain_sums sum_stains(image_source& rgb, label_store& labels, std::uint64_t count,
                      const nuclei_options& options, const std::array<double, 3>& white, const context& how) {
  constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  constexpr auto inf = std::numeric_limits<float>::infinity();
  stain_sums sums{.first_y = std::vector(count, none),
                  .first_x = std::vector(count, none),
                  .pixels = std::vector<std::uint32_t>(count),
                  .stains = {}};
  for (const auto& name : stain_names(options))
    sums.stains.push_back({name, std::vector<std::int64_t>(count), std::vector<std::int64_t>(count),
                           std::vector(count, inf), std::vector(count, -inf)});
  const auto unmix = unmixing(options, white);
  const context run{.device = "cpu", .threads = how.threads};
  const auto& shape = labels.form().shape;
  constexpr auto side = label_store::side;
  constexpr std::size_t at_once = std::size_t{1} << 20;
  std::vector<std::uint32_t> label_tile;
  std::vector<std::uint8_t> colour_tile;
  labelled_pixels waiting;
  // Neighbouring tiles are read together, because tiles of slides do not begin where these do.
  constexpr std::int64_t widest = 16 * side;
  for (std::int64_t y = 0; y < shape.height(); y += side)
    for (std::int64_t x = 0, end = 0; x < shape.width(); x = end) {
      if (how.stop.stop_requested()) throw interrupted();
      end = x + side;
      if (!labels.has_labels(y, x)) continue;
      while (end < shape.width() && end - x < widest && labels.has_labels(y, end)) end += side;
      const image_region where{{0, y, x},
                               {1, std::min(side, shape.height() - y), std::min(end, shape.width()) - x}};
      label_tile.resize(static_cast<std::size_t>(where.pixels()));
      colour_tile.resize(3 * label_tile.size());
      labels.read(where, label_tile.data());
      rgb.read(where, colour_tile.data());
      collect(where, label_tile, colour_tile, waiting, sums);
      if (waiting.label.size() < at_once) continue;
      add_amounts(waiting, unmix, run, sums);
      waiting.clear();
    }
  add_amounts(waiting, unmix, run, sums);
  return sums;
}

}  // namespace macareu::slides
