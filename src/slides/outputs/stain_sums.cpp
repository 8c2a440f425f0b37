#include "slides/outputs/stain_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

#include "catalogue/lend_threads.hpp"
#include "core/ranks/rank_shares.hpp"

namespace macareu::slides {
namespace {

constexpr auto none = std::numeric_limits<std::uint32_t>::max();

stain_sums empty_sums(std::size_t count, const std::vector<std::string>& stains) {
  constexpr auto inf = std::numeric_limits<float>::infinity();
  stain_sums sums{.first_y = std::vector(count, none),
                  .first_x = std::vector(count, none),
                  .pixels = std::vector<std::uint32_t>(count),
                  .stains = {}};
  for (const auto& name : stains)
    sums.stains.push_back({name, std::vector<std::int64_t>(count), std::vector<std::int64_t>(count),
                           std::vector(count, inf), std::vector(count, -inf)});
  return sums;
}

void note_first(stain_sums& of, std::size_t row, std::uint32_t y, std::uint32_t x) {
  if (y > of.first_y[row] || (y == of.first_y[row] && x > of.first_x[row])) return;
  of.first_y[row] = y;
  of.first_x[row] = x;
}

/// Adds sums of some nuclei, from the row `first` on. Sums are integers, so their order does not matter.
void add(const stain_sums& from, std::size_t first, stain_sums& to) {
  for (std::size_t i = 0; i < from.pixels.size(); ++i) {
    if (from.pixels[i] == 0) continue;
    const auto row = first + i;
    to.pixels[row] += from.pixels[i];
    note_first(to, row, from.first_y[i], from.first_x[i]);
    for (std::size_t s = 0; s < to.stains.size(); ++s) {
      auto& stain = to.stains[s];
      const auto& own = from.stains[s];
      stain.sum[row] += own.sum[i];
      stain.squares[row] += own.squares[i];
      stain.least[row] = std::min(stain.least[row], own.least[i]);
      stain.most[row] = std::max(stain.most[row], own.most[i]);
    }
  }
}

/// visit(column) for each.
template <class Sums, class Visit>
void over_columns(Sums& of, const Visit& visit) {
  visit(of.first_y);
  visit(of.first_x);
  visit(of.pixels);
  for (auto& stain : of.stains) {
    visit(stain.sum);
    visit(stain.squares);
    visit(stain.least);
    visit(stain.most);
  }
}

/// The sums of all ranks, on the first one.
stain_sums on_first_rank(ranks& all, stain_sums own) {
  const auto message = [](const stain_sums& from) {
    std::string bytes;
    over_columns(from, [&](const auto& column) { bytes += bytes_of(column); });
    return bytes;
  };
  const auto sums_in = [&](const std::string& bytes) {
    auto to = own;
    std::size_t at = 0;
    over_columns(to, [&](auto& column) {
      at += bytes.copy(reinterpret_cast<char*>(column.data()), column.size() * sizeof column[0], at);
    });
    return to;
  };
  const auto joined = all.exchange(
      message(own), {.join =
                         [&](const rank_range&, const std::string& first, const std::string& second) {
                           auto sums = sums_in(first);
                           add(sums_in(second), 0, sums);
                           return message(sums);
                         },
                     .split = [](const rank_range&,
                                 std::string bytes) { return std::pair(std::move(bytes), std::string()); }});
  return all.is_first() ? sums_in(joined) : own;
}

/// Labels and colours of an area, and what is known of its labelled pixels.
struct area_sums {
  std::vector<std::uint32_t> labels, rows;  // rows: of labelled pixels alone, from the least on
  std::vector<std::uint8_t> colours;        // all, then those of labelled pixels
  std::size_t first = 0;                    // the least row
  stain_sums sums;

  void collect(const image_region& where, const std::vector<std::string>& stains) {
    std::uint32_t least = none, most = 0;
    for (const auto label : labels)
      if (label != 0) {
        least = std::min(least, label);
        most = std::max(most, label);
      }
    rows.clear();
    if (most == 0) return;
    first = least - 1;
    sums = empty_sums(most - least + 1, stains);
    std::size_t i = 0, kept = 0;
    for (std::int64_t y = where.first[1]; y < where.first[1] + where.size[1]; ++y)
      for (std::int64_t x = where.first[2]; x < where.first[2] + where.size[2]; ++x, ++i) {
        if (labels[i] == 0) continue;
        const auto row = labels[i] - least;
        rows.push_back(row);
        std::copy_n(&colours[3 * i], 3, &colours[kept]);
        kept += 3;
        ++sums.pixels[row];
        note_first(sums, row, static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(x));
      }
  }

  void add_amounts(const arguments& how, const context& run) {
    const extents shape{1, static_cast<std::int64_t>(rows.size())};
    const const_image_view kept(colours.data(), dtype::u8, shape, contiguous_strides(shape, 3), 3);
    const auto all = run_operator(*find_operator("unmix"), std::array{kept}, how, run);
    const auto amounts = all[0].pixels<float>();
    for (std::size_t s = 0; s < sums.stains.size(); ++s) {
      auto& stain = sums.stains[s];
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = rows[i];
        const auto amount = amounts[3 * i + s];
        const auto whole = static_cast<std::int64_t>(std::lround(amount / stain_column::unit));
        stain.sum[row] += whole;
        stain.squares[row] += whole * whole;
        stain.least[row] = std::min(stain.least[row], amount);
        stain.most[row] = std::max(stain.most[row], amount);
      }
    }
  }
};

/// Areas that have labels. Neighbouring tiles are read together, because tiles of slides do not begin where
/// these do.
std::vector<image_region> labelled_areas(const label_store& labels) {
  constexpr auto side = label_store::side, widest = 16 * side;
  const auto& shape = labels.form().shape;
  std::vector<image_region> areas;
  for (std::int64_t y = 0; y < shape.height(); y += side)
    for (std::int64_t x = 0, end = 0; x < shape.width(); x = end) {
      end = x + side;
      if (!labels.has_labels(y, x)) continue;
      while (end < shape.width() && end - x < widest && labels.has_labels(y, end)) end += side;
      areas.push_back({{0, y, x}, {1, std::min(side, shape.height() - y), std::min(end, shape.width()) - x}});
    }
  return areas;
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
                      const nuclei_options& options, const std::array<double, 3>& white, const context& how,
                      ranks* shared_by) {
  const auto stains = stain_names(options);
  auto sums = empty_sums(static_cast<std::size_t>(count), stains);
  const auto unmix = unmixing(options, white);
  const context run{.device = "cpu", .threads = 1};
  auto areas = labelled_areas(labels);
  const auto own = share_of(shared_by, static_cast<std::int64_t>(areas.size()));
  areas = {areas.begin() + own.first, areas.begin() + own.end};
  std::mutex reading, adding;
  const auto threads = lend_threads(labels.form().shape.pixels(), how.threads);
  threads.for_each(areas.size(), [&](std::size_t i) {
    if (how.stop.stop_requested()) throw interrupted();
    const auto& where = areas[i];
    area_sums area;
    area.labels.resize(static_cast<std::size_t>(where.pixels()));
    area.colours.resize(3 * area.labels.size());
    labels.read(where, area.labels.data());
    {
      const std::lock_guard lock(reading);
      rgb.read(where, area.colours.data());
    }
    area.collect(where, stains);
    if (area.rows.empty()) return;
    area.add_amounts(unmix, run);
    const std::lock_guard lock(adding);
    add(area.sums, area.first, sums);
  });
  if (shared_by) sums = on_first_rank(*shared_by, std::move(sums));
  return sums;
}

}  // namespace macareu::slides
