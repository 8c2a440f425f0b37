// summary on the cpu: simple loops over pieces of rows, which compilers vectorise. The place of an extremum
// is searched only in a piece that improves it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "patterns/summary.hpp"

namespace macareu::cpu {

/// Types that hold the sums of a piece without overflow.
template <class T>
struct piece_sums {
  static constexpr std::int64_t pixels = tuning::summed_pixels;
  static_assert(pixels <= (std::int64_t{1} << 32) / (256 * 256));
  using sum = std::conditional_t<sizeof(T) == 1, std::int32_t,
                                 std::conditional_t<sizeof(T) <= 4, std::int64_t, int128>>;
  using squares = std::conditional_t<sizeof(T) == 1, std::uint32_t,
                                     std::conditional_t<sizeof(T) == 2, std::uint64_t, uint128>>;
};

template <class T>
struct range_of_piece {
  T low, high;
};

template <class T>
range_of_piece<T> find_range(const T* from, std::int64_t count, std::int64_t step) {
  T low = from[0], high = from[0];
  const auto take = [&](T value) {
    low = value < low ? value : low;
    high = high < value ? value : high;
  };
  if (step == 1)
    for (std::int64_t i = 0; i < count; ++i) take(from[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) take(from[i * step]);
  return {without_negative_zero(low), without_negative_zero(high)};
}

template <class T>
void add_sums(const T* from, std::int64_t count, std::int64_t step, summary<T>& to) {
  using sums = piece_sums<T>;
  typename sums::sum sum = 0;
  typename sums::squares squares = 0;
  const auto take = [&](T value) {
    sum += value;
    if constexpr (has_squares<T>) {
      using wide = std::conditional_t<sizeof(T) <= 2, std::int32_t, std::int64_t>;
      const auto magnitude =
          static_cast<std::make_unsigned_t<wide>>(value < 0 ? -static_cast<wide>(value) : value);
      squares += static_cast<typename sums::squares>(magnitude * magnitude);
    }
  };
  if (step == 1)
    for (std::int64_t i = 0; i < count; ++i) take(from[i]);
  else
    for (std::int64_t i = 0; i < count; ++i) take(from[i * step]);
  to.sum += sum;
  to.squares += squares;
}

template <class T>
std::int64_t first_of(const T* from, std::int64_t step, T value) {
  std::int64_t i = 0;
  while (!(from[i * step] == value)) ++i;
  return i;
}

template <class T>
summary<T> run_summary(const job& work, const summary_of<T>& rule, const view<const T>& image) {
  if (image.pixels() == 0) return rule.identity();
  const int threads = threads_for(image.pixels(), work.how.threads);
  std::vector<summary<T>> own(static_cast<std::size_t>(threads), rule.identity());
  const auto pieces = ceil_div(image.width, piece_sums<T>::pixels);
  over_units(work, threads, image.depth * image.height * pieces,
             std::max<std::int64_t>(1, tuning::pixels_claimed / image.width),
             [&](int thread, std::int64_t unit) {
               const auto row = unit / pieces, x = unit % pieces * piece_sums<T>::pixels;
               const auto count = std::min(piece_sums<T>::pixels, image.width - x);
               const T* const from = image.at(row / image.height, row % image.height) + x * image.step_x;
               auto& mine = own[static_cast<std::size_t>(thread)];
               const auto range = find_range(from, count, image.step_x);
               const auto low = to_key(range.low), high = to_key(range.high);
               const auto first = row * image.width + x;
               auto piece = rule.identity();
               if (low < mine.lowest || (low == mine.lowest && first < mine.lowest_at)) {
                 piece.lowest = low;
                 piece.lowest_at = first + first_of(from, image.step_x, range.low);
               }
               if (high > mine.highest || (high == mine.highest && first < mine.highest_at)) {
                 piece.highest = high;
                 piece.highest_at = first + first_of(from, image.step_x, range.high);
               }
               if constexpr (std::is_integral_v<T>) add_sums(from, count, image.step_x, piece);
               mine = rule.join(mine, piece);
             });
  auto total = rule.identity();
  for (const auto& part : own) total = rule.join(total, part);
  return total;
}

}  // namespace macareu::cpu
