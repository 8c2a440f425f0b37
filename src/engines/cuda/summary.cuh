// summary on the GPU: a thread keeps the first group of pixels that has its smallest and its largest value;
// the pixel itself is looked for at the end, once per block. Bytes are compared in pairs and added in fours.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engines/cuda/reduce.cuh"
#include "patterns/summary.hpp"

namespace macareu::cuda {

template <class T>
struct thread_summary {
  using key = key_of<T>;
  static constexpr int group = 16 / sizeof(T);
  /// What a thread adds up of pixels of this size stays below 2^64 for 2^31 of them.
  static constexpr bool short_sums = sizeof(T) <= 2;

  static constexpr auto nowhere = std::numeric_limits<std::int64_t>::max();

  key lowest = std::numeric_limits<key>::max(), highest = 0;
  std::int64_t lowest_in = nowhere, highest_in = nowhere;  // where the group begins
  std::int64_t short_sum = 0;
  std::uint64_t short_squares = 0;
  int128 sum = 0;
  uint128 squares = 0;

  /// Groups do not come in their order.
  __device__ void take_range(std::int64_t place, key low, key high) {
    if (low <= lowest && (low < lowest || place < lowest_in)) {
      lowest = low;
      lowest_in = place;
    }
    if (high >= highest && (high > highest || place < highest_in)) {
      highest = high;
      highest_in = place;
    }
  }

  __device__ void take(std::int64_t place, const T* values, int pixels) {
    key low = std::numeric_limits<key>::max(), high = 0;
#pragma unroll
    for (int i = 0; i < group; ++i) {
      if (i >= pixels) break;
      const auto k = to_key(without_negative_zero(values[i]));
      low = k < low ? k : low;
      high = k > high ? k : high;
      if constexpr (short_sums) {
        const std::int32_t v = values[i];
        short_sum += v;
        short_squares += static_cast<std::uint64_t>(static_cast<std::uint32_t>(v < 0 ? -v : v)) *
                         static_cast<std::uint32_t>(v < 0 ? -v : v);
      } else if constexpr (std::is_integral_v<T>) {
        sum += values[i];
        if constexpr (has_squares<T>) {
          const std::int64_t v = values[i];
          const auto magnitude = static_cast<std::uint64_t>(v < 0 ? -v : v);
          squares += magnitude * magnitude;
        }
      }
    }
    take_range(place, low, high);
  }

  /// 16 bytes: keys of i8 are those of u8 with the highest bit turned.
  __device__ void take_bytes(std::int64_t place, const pixel_group<T, 16>& bytes) {
    static_assert(sizeof(T) == 1);
    constexpr unsigned turn = std::is_signed_v<T> ? 0x80808080u : 0;
    const auto words = std::bit_cast<uint4>(bytes);
    unsigned low = 0xffffffffu, high = 0;  // two values of 16 bits each
    unsigned total = 0, total_squares = 0;
    for (const unsigned word : {words.x, words.y, words.z, words.w}) {
      const unsigned keys = word ^ turn, even = keys & 0x00ff00ffu, odd = keys >> 8 & 0x00ff00ffu;
      low = __vimin3_u16x2(low, even, odd);
      high = __vimax3_u16x2(high, even, odd);
      if constexpr (std::is_signed_v<T>) {
        total = static_cast<unsigned>(__dp4a(static_cast<int>(word), 0x01010101, static_cast<int>(total)));
        total_squares = static_cast<unsigned>(
            __dp4a(static_cast<int>(word), static_cast<int>(word), static_cast<int>(total_squares)));
      } else {
        total = __dp4a(word, 0x01010101u, total);
        total_squares = __dp4a(word, word, total_squares);
      }
    }
    if constexpr (std::is_signed_v<T>)
      short_sum += static_cast<int>(total);
    else
      short_sum += total;
    short_squares += total_squares;
    const unsigned l = min(low & 0xffffu, low >> 16), h = max(high & 0xffffu, high >> 16);
    take_range(place, static_cast<key>(l), static_cast<key>(h));
  }

  __device__ void take_whole(std::int64_t place, const pixel_group<T, group>& values) {
    if constexpr (sizeof(T) == 1)
      take_bytes(place, values);
    else
      take(place, values.value, group);
  }

  /// With the place of a group for that of a pixel: groups do not overlap, so which is first is the same.
  __device__ summary<T> total() const {
    return {lowest, highest, lowest_in, highest_in, sum + short_sum, squares + short_squares};
  }

  __device__ static std::int64_t place_of(const view<const T>& image, std::int64_t begin, key wanted) {
    if (begin == nowhere) return nowhere;
    const std::int64_t row = begin / image.width, z = row / image.height;
    site p{z, row - z * image.height, begin - row * image.width};
    for (; to_key(without_negative_zero(image[p])) != wanted; ++p.x) ++begin;
    return begin;
  }
};

/// By a multiprocessor: with 48 KiB of loads under way.
inline constexpr int blocks_held = 3;

template <class T>
__global__ void __launch_bounds__(pixel_tiles::threads, blocks_held)
    summarize_pixels(pixel_tiles tiles, bool aligned, summary_of<T> rule, summary<T>* parts,
                     view<const T> image) {
  using own = thread_summary<T>;
  own mine;
  const auto place_of = [&](site p) { return (p.z * tiles.height + p.y) * tiles.width + p.x; };
  tiles.for_each_tile<own::group>(
      [&](const tile_places& places) {
        if (!aligned) return false;
        const auto loaded = load_tile<own::group>(image, places);
#pragma unroll
        for (int i = 0; i < tiles.rows_per_thread; ++i)
          mine.take_whole(places.index + i * places.next_index, loaded.row[i]);
        return true;
      },
      [&](site p, int pixels) {
        if (pixels == own::group)
          return mine.take_whole(place_of(p), load_group<own::group>(image, p, aligned));
        T some[own::group];
#pragma unroll
        for (int i = 0; i < own::group; ++i)
          if (i < pixels) some[i] = image[{p.z, p.y, p.x + i}];
        mine.take(place_of(p), some, pixels);
      });
  auto total = join_block(rule, mine.total());
  if (threadIdx.x != 0) return;
  total.lowest_at = own::place_of(image, total.lowest_at, total.lowest);
  total.highest_at = own::place_of(image, total.highest_at, total.highest);
  parts[blockIdx.x] = total;
}

template <class T>
summary<T> run_summary(const gpu& on, const summary_of<T>& rule, const view<const T>& image) {
  constexpr int group = thread_summary<T>::group;
  const pixel_tiles tiles(image, group);
  using part_array = std::array<summary<T>, 2048>;
  auto* const parts = reinterpret_cast<summary<T>*>(landing_place<part_array>());
  const auto resident =
      std::min<std::int64_t>(blocks_held * on.multiprocessors, std::tuple_size_v<part_array>);
  const auto blocks = static_cast<unsigned>(std::clamp<std::int64_t>(tiles.count, 1, resident));
  summarize_pixels<<<blocks, tiles.threads, 0, on.stream>>>(tiles, has_aligned_groups(image, group), rule,
                                                            parts, image);
  on.launched("summary");
  on.synchronize("summary");
  auto total = rule.identity();
  for (unsigned i = 0; i < blocks; ++i) total = rule.join(total, parts[i]);
  return total;
}

}  // namespace macareu::cuda
