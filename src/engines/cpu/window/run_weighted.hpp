// Weighted sums on the cpu. A strip computes both sums, along y and x, before the next row, so that
// intermediate values stay in the cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "engines/cpu/window/run_window.hpp"
#include "engines/cpu/window/sums.hpp"
#include "patterns/weighted.hpp"

namespace macareu::cpu {

template <class Rule, class Out, class F>
void write_row(const Rule& rule, const view<Out>& out, site p, const F* from, std::int64_t count) {
  over_row(
      p, count,
      [rule, p, from](std::int64_t i, Out& to) {
        to = rule(p + site{0, 0, i}, from[i]);
      },
      out);
}

/// Sums that are written as they are.
template <class F>
using plain_sums = as_type<F>;

/// Rows of a strip that are summed along y stay in the cache.
template <class F>
std::int64_t columns_of_strip(std::int64_t radius) {
  constexpr auto line = 64 / static_cast<std::int64_t>(sizeof(F));
  const auto fitting = tuning::summed_bytes / static_cast<std::int64_t>(sizeof(F)) / (2 * radius + 1);
  return std::clamp(fitting / line * line, 4 * line, tuning::sum_columns<F>);
}

template <class F, class Rule, class Out, class In>
void sum_along_y_and_x(const job& work, const separable_weights<F>& weights, const border<F>& edge,
                       const Rule& rule, const view<Out>& out, const view<const In>& in) {
  const auto along_y = weights.odd[1] ? best_odd_sums<F>().across : best_sums<F>().symmetric;
  const auto along_x = weights.odd[2] ? best_odd_sums<F>().along : best_sums<F>().along;
  const auto radius = radius_of(weights);
  over_bands(
      work, out,
      [&](std::int64_t z, std::int64_t top, std::int64_t bottom, std::int64_t first, std::int64_t count) {
        near_rows<F, In> rows(in, edge, {0, radius.y, radius.x}, first, count);
        const auto length = count + 2 * radius.x;
        const aligned_memory<F> line(length);
        std::vector<F> result(static_cast<std::size_t>(count));
        std::vector<const F*> columns(static_cast<std::size_t>(2 * radius.y + 1));
        const auto before = std::clamp<std::int64_t>(radius.x - first, 0, length);
        const auto inside = std::clamp<std::int64_t>(out.width + radius.x - first, 0, length);
        for (auto y = top; y < bottom; ++y) {
          rows.move_to(z, y);
          const F* values = rows.rows()[radius.y] - radius.x;
          if (!weights[1].empty()) {
            for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = rows.rows()[k] - radius.x;
            along_y(columns.data(), weights[1].data(), radius.y, length, line.data());
            if (edge.mode == border_mode::constant) {
              std::fill_n(line.data(), before, edge.outside);
              std::fill(line.data() + inside, line.data() + length, edge.outside);
            }
            values = line.data();
          }
          F* to = result.data();
          bool straight = false;
          if constexpr (std::is_same_v<Rule, plain_sums<F>>) {
            straight = out.step_x == 1;
            if (straight) to = &out[{z, y, first}];
          }
          if (!weights[2].empty()) {
            along_x(values, weights[2].data(), radius.x, count, to);
            values = to;
          }
          if (!straight)
            write_row(rule, out, {z, y, first}, values, count);
          else if (values != to)
            std::copy_n(values, count, to);
        }
      },
      weights[1].empty() ? strip_columns : columns_of_strip<F>(radius.y),
      std::max<std::int64_t>(band_rows, 2 * radius.y));  // the rows above a band are converted again
}

template <class F, class Rule, class Out, class In>
void sum_along_z(const job& work, const separable_weights<F>& weights, const border<F>& edge,
                 const Rule& rule, const view<Out>& out, const view<const In>& in) {
  const auto& half = weights[0];
  const auto sum = weights.odd[0] ? best_odd_sums<F>().across : best_sums<F>().symmetric;
  const int r = static_cast<int>(half.size()) - 1;
  over_bands(
      work, out,
      [&](std::int64_t z, std::int64_t top, std::int64_t bottom, std::int64_t first, std::int64_t count) {
        near_rows<F, In> rows(in, edge, {r, 0, 0}, first, count);
        std::vector<F> result(static_cast<std::size_t>(count));
        for (auto y = top; y < bottom; ++y) {
          rows.move_to(z, y);
          sum(rows.rows(), half.data(), r, count, result.data());
          write_row(rule, out, {z, y, first}, result.data(), count);
        }
      });
}

template <class F, class In>
void run_weighted(const job& work, std::span<const tap<F>> taps, const border<F>& edge, const view<F>& out,
                  const view<const In>& in) {
  const auto radius = radius_of(taps);
  std::vector<F> weights;
  for (const auto& each : taps) weights.push_back(each.weight);
  over_bands(
      work, out,
      [&](std::int64_t z, std::int64_t top, std::int64_t bottom, std::int64_t first, std::int64_t count) {
        near_rows<F, In> rows(in, edge, radius, first, count);
        std::vector<const F*> places(taps.size());
        std::vector<F> result(static_cast<std::size_t>(count));
        for (auto y = top; y < bottom; ++y) {
          rows.move_to(z, y);
          for (std::size_t i = 0; i < taps.size(); ++i)
            places[i] = rows.rows()[(taps[i].dz + radius.z) * (2 * radius.y + 1) + taps[i].dy + radius.y] +
                        taps[i].dx;
          best_sums<F>().weighted(places.data(), weights.data(), static_cast<int>(taps.size()), count,
                                  result.data());
          write_row(plain_sums<F>{}, out, {z, y, first}, result.data(), count);
        }
      });
}

}  // namespace macareu::cpu
