// window on the cpu: a thread takes a band of rows and works on copies in private memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/simd.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/window/near_rows.hpp"

namespace macareu::cpu {

using tuning::band_rows, tuning::strip_columns;

/// visit(z, first row, last row, first column, columns) for every band of every strip.
template <class T, class Visit>
void over_bands(const job& work, const view<T>& image, Visit&& visit, std::int64_t columns = strip_columns,
                std::int64_t rows = band_rows) {
  const auto strips = ceil_div(image.width, columns), bands = ceil_div(image.height, rows);
  over_units(work, threads_for(image.pixels(), work.how.threads), image.depth * bands * strips, 1,
             [&](int, std::int64_t unit) {
               const auto first = unit % strips * columns;
               const auto y = unit / strips % bands * rows;
               visit(unit / strips / bands, y, std::min(y + rows, image.height), first,
                     std::min(columns, image.width - first));
             });
}

/// Reads one pixel of a row, or a vector of pixels.
template <class Value, class Result>
struct near_in_rows {
  const Value* const* rows;
  int lines, centre;
  std::int64_t x;

  Result operator()(int dz, int dy, int dx) const {
    const Value* const place = rows[dz * lines + dy + centre] + x + dx;
    if constexpr (std::is_same_v<Value, Result>)
      return *place;
    else
      return load(place);
  }
};

template <class Rule, class Out, class Value>
void window_row(const Rule& rule, site p, std::int64_t count, const Value* const* rows,
                const view<Out>& out) {
  const auto radius = rule.radius();
  const int lines = 2 * radius.y + 1, centre = radius.z * lines + radius.y;
  Out* const to = &out[p];
  std::int64_t x = 0;
  if constexpr (is_wide<Rule>) {
    constexpr std::int64_t lanes = simd<Value>::lanes;
    for (; x < count; x += lanes) {
      const auto result = rule(p, near_in_rows<Value, vec<Value>>{rows, lines, centre, x});
      constexpr bool as_it_is = sizeof result == lanes * sizeof(Out);
      const auto wanted = std::min(lanes, count - x);
      if constexpr (!as_it_is) {
        for (std::int64_t i = 0; i < wanted; ++i) to[(x + i) * out.step_x] = static_cast<Out>(result[i]);
      } else if (wanted == lanes && out.step_x == 1) {
        std::memcpy(to + x, &result, sizeof result);
      } else {
        Out some[lanes];
        std::memcpy(some, &result, sizeof result);
        for (std::int64_t i = 0; i < wanted; ++i) to[(x + i) * out.step_x] = some[i];
      }
    }
  } else {
    for (; x < count; ++x)
      to[x * out.step_x] = rule(site{p.z, p.y, p.x + x}, near_in_rows<Value, Value>{rows, lines, centre, x});
  }
}

template <class Rule, class Out, class In>
void run_window(const job& work, const Rule& rule, const border<In>& edge, const view<Out>& out,
                const view<const In>& in) {
  over_bands(
      work, out,
      [&](std::int64_t z, std::int64_t top, std::int64_t bottom, std::int64_t first, std::int64_t count) {
        const auto over = [&]<class Value>(std::type_identity<Value>) {
          const border<Value> outer{edge.mode, static_cast<Value>(edge.outside)};
          near_rows<Value, In> rows(in, outer, rule.radius(), first, count);
          for (auto y = top; y < bottom; ++y) {
            rows.move_to(z, y);
            window_row(rule, site{z, y, first}, count, rows.rows(), out);
          }
        };
        if constexpr (is_wide<Rule>)
          over(std::type_identity<typename Rule::value>{});
        else
          over(std::type_identity<In>{});
      });
}

}  // namespace macareu::cpu
