// edges on the cpu. Images: a thread takes bands of strips. Each row of a strip passes all stages while its
// neighbours are in the cache; the result is two bits per pixel. Volumes: each stage runs over the whole
// volume, because a slice needs its neighbours.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "core/ceil_div.hpp"
#include "engines/cpu/edges/edge_strip.hpp"
#include "engines/cpu/edges/mark_rows.hpp"
#include "engines/cpu/edges/smooth_rows.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/binary.hpp"

namespace macareu::cpu {

using tuning::edge_rows, tuning::edge_columns;

/// Small images get thinner bands, so that all threads have work. Very thin bands cost more: the rows beside
/// a band are smoothed again for it.
inline std::int64_t rows_of_bands(std::int64_t height, std::int64_t strips, int threads) {
  const auto wanted = threads == 1 ? 1
                                   : std::min(height / tuning::least_edge_rows,
                                              ceil_div(tuning::edge_units_a_thread * threads, strips));
  return ceil_div(height, std::max({std::int64_t{1}, ceil_div(height, edge_rows), wanted}));
}

/// Clears marks on the border of the image.
inline void clear_border(site first, std::int64_t count, const view<std::uint8_t>& image, bit_word* marked,
                         bit_word* certain) {
  const auto clear = [&](std::int64_t x) {
    marked[x / word_bits] &= ~(bit_word{1} << x % word_bits);
    certain[x / word_bits] &= ~(bit_word{1} << x % word_bits);
  };
  if (first.y == 0 || first.y == image.height - 1)
    for (std::int64_t x = 0; x < count; ++x) clear(x);
  if (first.x == 0) clear(0);
  if (first.x + count == image.width) clear(count - 1);
}

template <class Rule, class Load>
void mark_image(const job& work, int threads, const Rule& rule, const smoothing& how,
                const view<std::uint8_t>& out, const kept_views<typename Rule::value>& kept,
                const binary_planes& planes, const Load& load) {
  const auto strips = ceil_div(out.width, edge_columns);
  const auto rows = rows_of_bands(out.height, strips, threads), bands = ceil_div(out.height, rows);
  const bool keeps = kept.gradient.data || kept.crossings.data;
  // In rows of one word drafts cost more than they save.
  const bool whole_rows = keeps || out.width <= word_bits;
  over_told_units(work, 0, 0.9, threads, strips * bands, 1, [&](int, std::int64_t unit) {
    const auto first = unit % strips * edge_columns, top = unit / strips * rows;
    const auto count = std::min(edge_columns, out.width - first);
    const auto of_slice = [&](std::int64_t y, std::int64_t x, std::int64_t pixels, double* to) {
      load(site{0, y, x}, pixels, to);
    };
    edge_strip<Rule, decltype(of_slice)> strip(rule, how, out.height, out.width, first, count, top,
                                               whole_rows, of_slice);
    for (auto y = top; y < std::min(top + rows, out.height); ++y)
      strip.row(y, [&](const auto& smooth, const auto& derived, const auto& slopes) {
        const site p{0, y, first};
        bit_word* const marked = planes.capacities(0, y) + first / word_bits;
        bit_word* const certain = planes.starts(0, y) + first / word_bits;
        mark_row(rule, count, smooth, derived, slopes, marked, certain,
                 [&](std::int64_t word, bool before, bool after, precision detail) {
                   return strip.need(y, word, before, after, detail);
                 });
        if (Rule::inside_only) clear_border(p, count, out, marked, certain);
        if (keeps) keep_row(rule, p, count, smooth, derived, kept);
      });
  });
}

/// A volume with a halo of one pixel on both sides of every row.
template <class Value>
class wide_volume {
 public:
  wide_volume(std::int64_t depth, std::int64_t height, std::int64_t width)
      : depth_(depth),
        height_(height),
        width_(width),
        pixels_(room_for<Value>(depth * height * (width + 2) + word_bits)) {}

  Value* row(std::int64_t z, std::int64_t y) const {
    return pixels_.get() + (z * height_ + y) * (width_ + 2) + 1;
  }
  void repeat_ends(std::int64_t z, std::int64_t y) const {
    Value* const at = row(z, y);
    at[-1] = at[0];
    at[width_] = at[width_ - 1];
  }
  rows_around<Value> around(std::int64_t z, std::int64_t y) const {
    rows_around<Value> rows;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        rows.row[dz + 1][dy + 1] = row(std::clamp<std::int64_t>(z + dz, 0, depth_ - 1),
                                       std::clamp<std::int64_t>(y + dy, 0, height_ - 1));
    return rows;
  }

 private:
  std::int64_t depth_, height_, width_;
  std::unique_ptr<Value[]> pixels_;
};

/// One row, summed along z.
template <class Value, class Load>
void sum_row_along_z(const smoothing& how, std::int64_t depth, site p, std::int64_t count, const Load& load,
                     Value* to) {
  const auto& half = how.weights[0];
  const int r = half.empty() ? 0 : static_cast<int>(half.size()) - 1;
  std::vector<double> values(static_cast<std::size_t>((2 * r + 2) * count));
  std::vector<const double*> rows;
  for (int k = -r; k <= r; ++k) {
    double* const row = values.data() + (k + r) * count;
    const bool outside = p.z + k < 0 || p.z + k >= depth;
    if (outside && how.edge.mode == border_mode::constant)
      std::fill_n(row, count, how.edge.outside);
    else
      load(site{how.edge.fold(p.z + k, depth), p.y, p.x}, count, row);
    rows.push_back(row);
  }
  const double* sums = rows[0];
  if (r > 0) {
    double* const out = values.data() + (2 * r + 1) * count;
    best_sums<double>().symmetric(rows.data(), half.data(), r, count, out);
    sums = out;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<Value>(sums[i]);
}

template <class Rule, class Load>
void mark_volume(const job& work, int threads, const Rule& rule, const smoothing& how,
                 const view<std::uint8_t>& out, const kept_views<typename Rule::value>& kept,
                 const binary_planes& planes, const Load& load) {
  static_assert(!Rule::strength_is_derived, "slopes are kept for images only");
  using value = typename Rule::value;
  const wide_volume<value> first(out.depth, out.height, out.width), second(out.depth, out.height, out.width);
  const auto over_rows = [&](double from, double to, auto&& visit) {
    over_told_units(work, from, to, threads, out.depth * out.height,
                    std::max<std::int64_t>(1, tuning::edge_pixels_claimed / out.width),
                    [&](int, std::int64_t row) { visit(row / out.height, row % out.height); });
  };
  over_rows(0, 0.2, [&](std::int64_t z, std::int64_t y) {
    sum_row_along_z(how, out.depth, {z, y, 0}, out.width, load, first.row(z, y));
  });
  const auto bands = ceil_div(out.height, edge_rows);
  over_told_units(work, 0.2, 0.5, threads, out.depth * bands, 1, [&](int, std::int64_t unit) {
    const auto z = unit / bands, top = unit % bands * edge_rows;
    const auto of_slice = [&](std::int64_t y, std::int64_t x, std::int64_t pixels, double* to) {
      std::copy_n(first.row(z, y) + x, pixels, to);
    };
    smooth_rows<value, decltype(of_slice)> source(how, out.height, out.width, 0, out.width, top, of_slice);
    for (auto y = top; y < std::min(top + edge_rows, out.height); ++y) {
      source.write(second.row(z, y));
      second.repeat_ends(z, y);
    }
  });
  const auto& smooth = second;
  const auto& derived = first;  // reuses the memory of the sums along z
  over_rows(0.5, 0.7, [&](std::int64_t z, std::int64_t y) {
    derive_row(rule, smooth.around(z, y), out.width, derived.row(z, y), slope_rows<value>{});
    derived.repeat_ends(z, y);
  });
  over_rows(0.7, 0.9, [&](std::int64_t z, std::int64_t y) {
    const auto s = smooth.around(z, y), d = derived.around(z, y);
    mark_row(rule, out.width, s, d, slope_rows<value>{}, planes.capacities(z, y), planes.starts(z, y),
             [](auto...) { return value{0}; });
    if (kept.gradient.data || kept.crossings.data) keep_row(rule, {z, y, 0}, out.width, s, d, kept);
  });
}

template <class Rule, class Source>
void mark_edges(job& work, int threads, const Rule& rule, const smoothing& how, const view<std::uint8_t>& out,
                const kept_views<typename Rule::value>& kept, const binary_planes& planes,
                const Source& image) {
  // Type erasure: the stages are compiled once for all pixel types.
  const std::function<void(site, std::int64_t, double*)> load = [&](site first, std::int64_t count,
                                                                    double* to) {
    image.over_row(first, count, [to](std::int64_t i, auto pixel) { to[i] = static_cast<double>(pixel); });
  };
  if constexpr (Rule::rank == 2)
    mark_image(work, threads, rule, how, out, kept, planes, load);
  else
    mark_volume(work, threads, rule, how, out, kept, planes, load);
  work.report.threads = threads;
}

template <class Rule, class Source>
void run_edges(job& work, const Rule& rule, const smoothing& how, const neighbourhood& near,
               const view<std::uint8_t>& out, const kept_views<typename Rule::value>& kept,
               const Source& image) {
  const int threads = threads_for(out.pixels(), work.how.threads);
  binary_planes planes(near, out.depth, out.height, out.width);
  mark_edges(work, threads, rule, how, out, kept, planes, image);
  if (!flood_by_best_kernel(planes, work, threads, out))
    throw device_error("canny", "more than 2^32 - 1 runs of edge pixels");
}

/// 0, 1 or 2 for every pixel, from the two bits of the planes.
template <class Rule, class Source>
void run_edge_levels(job& work, const Rule& rule, const smoothing& how, const view<std::uint8_t>& levels,
                     const kept_views<typename Rule::value>& kept, const Source& image) {
  const int threads = threads_for(levels.pixels(), work.how.threads);
  binary_planes planes({Rule::rank, Rule::rank}, levels.depth, levels.height, levels.width);
  mark_edges(work, threads, rule, how, levels, kept, planes, image);
  const auto batch =
      std::max<std::int64_t>(1, tuning::edge_pixels_claimed / std::max<std::int64_t>(levels.width, 1));
  over_units(work, threads, levels.depth * levels.height, batch, [&](int, std::int64_t row) {
    const auto z = row / levels.height, y = row % levels.height;
    const bit_word *const marked = planes.capacities(z, y), *const certain = planes.starts(z, y);
    const auto bit = [](const bit_word* words, std::int64_t x) {
      return static_cast<std::uint8_t>(words[x / word_bits] >> x % word_bits & 1);
    };
    for (std::int64_t x = 0; x < levels.width; ++x)
      levels[{z, y, x}] = static_cast<std::uint8_t>(bit(marked, x) + bit(certain, x));
  });
}

}  // namespace macareu::cpu
