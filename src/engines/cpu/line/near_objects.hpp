// Distance and label of the nearest object within a few pixels. Squares of distances fit a byte, so a vector
// holds many. Ties are those of carried values: the first column, then the first row.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/simd.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/line.hpp"

namespace macareu::cpu {

class near_objects {
 public:
  near_objects(std::uint32_t limit, const view<float>& distance, const view<std::uint32_t>& nearest,
               const view<const std::uint32_t>& labels)
      : limit_(static_cast<std::uint8_t>(limit)),
        reach_(static_cast<int>(std::sqrt(static_cast<double>(limit)))),
        distance_(distance),
        nearest_(nearest),
        labels_(labels) {
    roots_.fill(std::numeric_limits<float>::infinity());
    for (std::uint32_t square = 0; square <= limit; ++square)
      roots_[square] = static_cast<float>(std::sqrt(static_cast<double>(square)));
  }

  void run(const job& work) const {
    constexpr std::int64_t rows = tuning::near_object_rows;
    over_units(work, threads_for(labels_.pixels(), work.how.threads), ceil_div(labels_.height, rows), 1,
               [&](int, std::int64_t unit) {
                 const auto top = unit * rows;
                 band own(*this, top, std::min(labels_.height, top + rows));
                 own.find_columns();
                 for (auto y = own.top; y < own.bottom; ++y) write_row(own, y);
               });
  }

 private:
  static constexpr int lanes = simd<std::uint8_t>::lanes;
  /// Above all squares within the limit; the square of the reach can be added to it.
  static constexpr std::uint8_t far = static_cast<std::uint8_t>(largest_near_square + 1);
  static_assert(2 * largest_near_square + 1 <= std::numeric_limits<std::uint8_t>::max());

  /// Rows with the nearest labelled pixel of each column.
  struct band {
    band(const near_objects& all, std::int64_t first, std::int64_t last)
        : of(all), top(first), bottom(last), pitch(ceil_div(all.labels_.width, lanes) * lanes + 2 * lanes) {
      squares.resize(static_cast<std::size_t>(pitch * (bottom - top)), far);
      places.resize(squares.size());
    }

    std::uint8_t* square(std::int64_t y) { return squares.data() + (y - top) * pitch + lanes; }
    std::int8_t* place(std::int64_t y) { return places.data() + (y - top) * pitch + lanes; }

    void find_columns() {
      const auto width = of.labels_.width, height = of.labels_.height;
      const auto beyond = static_cast<std::uint8_t>(of.reach_ + 1);
      std::vector<std::uint8_t> steps(static_cast<std::size_t>(width), beyond);
      const auto count = [&, steps = steps.data()](std::int64_t y) {
        const std::uint32_t* const labels = of.labels_.at(0, y);
        for (std::int64_t x = 0; x < width; ++x) {
          const auto one_more = static_cast<std::uint8_t>(steps[x] < beyond ? steps[x] + 1 : beyond);
          steps[x] = labels[x] != 0 ? std::uint8_t{0} : one_more;
        }
      };
      for (auto y = std::max<std::int64_t>(0, top - of.reach_); y < bottom; ++y) {
        count(y);
        if (y >= top) std::memcpy(place(y), steps.data(), steps.size());
      }
      std::ranges::fill(steps, beyond);
      for (auto y = std::min(height, bottom + of.reach_) - 1; y >= top; --y) {
        count(y);
        if (y < bottom) choose(steps.data(), y);
      }
    }

    /// Of equal steps those upwards.
    void choose(const std::uint8_t* down, std::int64_t y) {
      std::int8_t* const place = this->place(y);
      std::uint8_t* const square = this->square(y);
      const int reach = of.reach_;
      for (std::int64_t x = 0; x < of.labels_.width; ++x) {
        const auto up = static_cast<std::uint8_t>(place[x]), below = down[x];
        const bool above = up <= below;
        const std::uint8_t steps = above ? up : below;
        place[x] = static_cast<std::int8_t>(above ? -up : below);
        square[x] = steps > reach ? far : static_cast<std::uint8_t>(steps * steps);
      }
    }

    const near_objects& of;
    std::int64_t top, bottom, pitch;
    std::vector<std::uint8_t> squares;
    std::vector<std::int8_t> places;
  };

  void write_row(band& own, std::int64_t y) const {
    const auto width = labels_.width;
    const std::uint8_t* const square = own.square(y);
    float* const distance = distance_.at(0, y);
    std::uint32_t* const nearest = nearest_.at(0, y);
    for (std::int64_t x = 0; x < width; x += lanes) {
      const auto count = std::min<std::int64_t>(lanes, width - x);
      const auto middle = load(square + x);
      const auto least = min(middle, min(load(square + x - reach_), load(square + x + reach_)));
      if (!any<std::uint8_t>((vec<std::uint8_t>)(least < all_lanes(far)))) {
        std::fill_n(distance + x, count, std::numeric_limits<float>::infinity());
        std::fill_n(nearest + x, count, 0);
      } else if (!any<std::uint8_t>(middle)) {
        std::fill_n(distance + x, count, 0.0F);
        std::memcpy(nearest + x, labels_.at(0, y) + x, static_cast<std::size_t>(count) * sizeof *nearest);
      } else {
        write_block(own, y, x, count);
      }
    }
  }

  void write_block(band& own, std::int64_t y, std::int64_t x, std::int64_t count) const {
    const std::uint8_t* const square = own.square(y) + x;
    const auto sum_at = [&](int dx) {
      return load(square + dx) + all_lanes(static_cast<std::uint8_t>(dx * dx));
    };
    vec<std::uint8_t> best = sum_at(-reach_), steps = all_lanes(static_cast<std::uint8_t>(-reach_));
    for (int dx = 1 - reach_; dx <= reach_; ++dx) {
      const auto offer = sum_at(dx);
      const auto less = offer < best;
      best = less ? offer : best;
      steps = less ? all_lanes(static_cast<std::uint8_t>(dx)) : steps;
    }
    std::array<std::uint8_t, lanes> squares;
    std::array<std::int8_t, lanes> right;
    std::memcpy(squares.data(), &best, sizeof best);
    std::memcpy(right.data(), &steps, sizeof steps);
    const std::int8_t* const down = own.place(y) + x;
    float* const distance = distance_.at(0, y) + x;
    std::uint32_t* const nearest = nearest_.at(0, y) + x;
    const std::uint32_t* const labels = labels_.at(0, y) + x;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto found = squares[static_cast<std::size_t>(i)];
      const auto there = i + right[static_cast<std::size_t>(i)];
      distance[i] = roots_[found];
      nearest[i] = found <= limit_ ? labels[down[there] * labels_.step_y + there] : 0;
    }
  }

  std::uint8_t limit_;
  int reach_;
  view<float> distance_;
  view<std::uint32_t> nearest_;
  view<const std::uint32_t> labels_;
  std::array<float, 256> roots_;
};

}  // namespace macareu::cpu
