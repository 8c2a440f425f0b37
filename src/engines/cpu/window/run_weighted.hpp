// Weighted sums on the cpu. A strip computes both sums, along y and x, before the next row, so that
// intermediate values stay in the cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/cpu/window/run_window.hpp"
#include "engines/cpu/window/sums.hpp"
#include "patterns/weighted.hpp"

namespace macareu::cpu {

template <class F>
void write_row(const view<F>& out, site p, const F* from, std::int64_t count) {
  F* const to = &out[p];
  for (std::int64_t i = 0; i < count; ++i) to[i * out.step_x] = from[i];
}

template <class F, class In>
void sum_along_y_and_x(const job& work, const separable_weights<F>& weights, const border<F>& edge,
                       const view<F>& out, const view<const In>& in) {
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
            best_sums<F>().symmetric(columns.data(), weights[1].data(), radius.y, length, line.data());
            if (edge.mode == border_mode::constant) {
              std::fill_n(line.data(), before, edge.outside);
              std::fill(line.data() + inside, line.data() + length, edge.outside);
            }
            values = line.data();
          }
          const bool straight = out.step_x == 1;
          F* const to = straight ? &out[{z, y, first}] : result.data();
          if (weights[2].empty())
            std::copy_n(values, count, to);
          else
            best_sums<F>().along(values, weights[2].data(), radius.x, count, to);
          if (!straight) write_row(out, {z, y, first}, to, count);
        }
      },
      tuning::sum_columns<F>);
}

template <class F>
void sum_along_z(const job& work, const std::vector<F>& half, const border<F>& edge, const view<F>& out,
                 const view<const F>& in) {
  const int r = static_cast<int>(half.size()) - 1;
  over_bands(
      work, out,
      [&](std::int64_t z, std::int64_t top, std::int64_t bottom, std::int64_t first, std::int64_t count) {
        near_rows<F, F> rows(in, edge, {r, 0, 0}, first, count);
        std::vector<F> result(static_cast<std::size_t>(count));
        for (auto y = top; y < bottom; ++y) {
          rows.move_to(z, y);
          best_sums<F>().symmetric(rows.rows(), half.data(), r, count, result.data());
          write_row(out, {z, y, first}, result.data(), count);
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
          write_row(out, {z, y, first}, result.data(), count);
        }
      });
}

}  // namespace macareu::cpu
