// summary on the GPU. A thread keeps the first group of pixels that has its smallest and its largest value.
// The block then searches for the pixel itself, once at the end. Bytes are compared in pairs and added in
// fours. If rows have no gaps between them, several groups of bytes are taken at once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engines/cuda/reduce/reduce.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/summary.hpp"

namespace macareu::cuda {

/// Totals of some bytes, few enough for 32-bit sums.
template <class T>
struct byte_totals {
  /// Pairs of 16 bits of which only the upper byte counts.
  unsigned lowest = ~0u, highest = 0;
  unsigned sum = 0, squares = 0;

  __device__ void add(const pixel_group<T, 16>& bytes) {
    constexpr unsigned turn = std::is_signed_v<T> ? 0x80808080u : 0;  // the keys of i8
    const auto words = std::bit_cast<uint4>(bytes);
    for (const unsigned word : {words.x, words.y, words.z, words.w}) {
      const unsigned keys = word ^ turn;
      lowest = __vimin3_u16x2(lowest, keys, keys << 8);
      highest = __vimax3_u16x2(highest, keys, keys << 8);
      if constexpr (std::is_signed_v<T>) {
        const int four = static_cast<int>(word);
        sum = static_cast<unsigned>(__dp4a(four, 0x01010101, static_cast<int>(sum)));
        squares = static_cast<unsigned>(__dp4a(four, four, static_cast<int>(squares)));
      } else {
        sum = __dp4a(word, 0x01010101u, sum);
        squares = __dp4a(word, word, squares);
      }
    }
  }
  __device__ key_of<T> low() const {
    return static_cast<key_of<T>>(min(lowest & 0xffffu, lowest >> 16) >> 8);
  }
  __device__ key_of<T> high() const {
    return static_cast<key_of<T>>(max(highest & 0xffffu, highest >> 16) >> 8);
  }
};

template <class T>
struct thread_summary {
  using key = key_of<T>;
  static constexpr int group = 16 / sizeof(T);
  /// Sums over 2^31 pixels of this size stay below 2^64.
  static constexpr bool short_sums = sizeof(T) <= 2;

  static constexpr auto nowhere = std::numeric_limits<std::int64_t>::max();

  key lowest = std::numeric_limits<key>::max(), highest = 0;
  std::int64_t lowest_in = nowhere, highest_in = nowhere;  // where the group begins
  std::int64_t short_sum = 0;
  std::uint64_t short_squares = 0;
  int128 sum = 0;
  uint128 squares = 0;

  /// Groups arrive out of order, so ties compare places.
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

  __device__ void add_sums(const byte_totals<T>& of) {
    if constexpr (std::is_signed_v<T>)
      short_sum += static_cast<int>(of.sum);
    else
      short_sum += of.sum;
    short_squares += of.squares;
  }

  __device__ void take_whole(std::int64_t place, const pixel_group<T, group>& values) {
    if constexpr (sizeof(T) == 1) {
      byte_totals<T> found;
      found.add(values);
      add_sums(found);
      take_range(place, found.low(), found.high());
    } else {
      take(place, values.value, group);
    }
  }

  /// Groups of bytes that begin `apart` pixels from each other, all after those taken before. Values within
  /// the known range are skipped, because ties keep the earlier place.
  template <int Groups>
  __device__ void take_next(std::int64_t place, int apart, const pixel_group<T, group> (&values)[Groups]) {
    byte_totals<T> all;
#pragma unroll
    for (const auto& each : values) all.add(each);
    add_sums(all);
    if (all.low() >= lowest && all.high() <= highest) return;
#pragma unroll
    for (int i = 0; i < Groups; ++i) {
      byte_totals<T> one;
      one.add(values[i]);
      take_range(place + i * apart, one.low(), one.high());
    }
  }

  /// Has places of groups instead of pixels. Groups do not overlap, so the order is the same.
  __device__ summary<T> total() const {
    return {lowest, highest, lowest_in, highest_in, sum + short_sum, squares + short_squares};
  }

  /// The first pixel with key `wanted` in the group at `begin`. Needs a whole warp.
  __device__ static std::int64_t place_of(const view<const T>& image, std::int64_t begin, key wanted) {
    if (begin == nowhere) return nowhere;
    const std::int64_t row = begin / image.width, z = row / image.height;
    const auto lane = static_cast<int>(threadIdx.x & 31);
    const site p{z, row - z * image.height, begin - row * image.width + lane};
    const bool found = lane < group && p.x < image.width && to_key(without_negative_zero(image[p])) == wanted;
    return begin + __ffs(static_cast<int>(__ballot_sync(~0u, found))) - 1;
  }
};

/// Writes the part of a block.
template <class T>
__device__ void write_part(const thread_summary<T>& mine, const summary_of<T>& rule,
                           const view<const T>& image, summary<T>* parts) {
  using own = thread_summary<T>;
  auto total = join_block(rule, mine.total());
  if (threadIdx.x >= 32) return;
  total.lowest_at = own::place_of(image, total.lowest_at, total.lowest);
  total.highest_at = own::place_of(image, total.highest_at, total.highest);
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}

template <class T>
__global__ void __launch_bounds__(pixel_tiles::threads, tuning::summary_blocks)
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
  write_part(mine, rule, image, parts);
}

/// Partition of bytes without gaps. In every step of its block, a thread takes groups `apart` pixels from
/// each other.
struct byte_steps {
  static constexpr int groups = tuning::byte_groups_at_once, apart = 16 * pixel_tiles::threads,
                       pixels = groups * apart;
};

template <class T>
__global__ void __launch_bounds__(pixel_tiles::threads, tuning::summary_blocks)
    summarize_bytes(summary_of<T> rule, summary<T>* parts, view<const T> row) {
  using steps = byte_steps;
  thread_summary<T> mine;
  std::int64_t place = std::int64_t{blockIdx.x} * steps::pixels + threadIdx.x * 16;
  const auto next = std::int64_t{gridDim.x} * steps::pixels;
  for (; place + (steps::groups - 1) * steps::apart + 16 <= row.width; place += next) {
    pixel_group<T, 16> loaded[steps::groups];
#pragma unroll
    for (int i = 0; i < steps::groups; ++i) loaded[i] = load_whole<16>(row.data + place + i * steps::apart);
    mine.take_next(place, steps::apart, loaded);
  }
  for (int i = 0; i < steps::groups && place < row.width; ++i, place += steps::apart)
    mine.take(place, row.data + place, static_cast<int>(min(row.width - place, std::int64_t{16})));
  write_part(mine, rule, row, parts);
}

template <class T>
summary<T> run_summary(const gpu& on, const summary_of<T>& rule, const view<const T>& image) {
  constexpr int group = thread_summary<T>::group;
  using part_array = std::array<summary<T>, 2048>;
  auto* const parts = reinterpret_cast<summary<T>*>(pinned_place<part_array>());
  const auto blocks_for = [&](std::int64_t pieces) {
    const auto resident =
        std::min<std::int64_t>(tuning::summary_blocks * on.multiprocessors, std::tuple_size_v<part_array>);
    return static_cast<unsigned>(std::clamp<std::int64_t>(pieces, 1, resident));
  };
  const auto launch = [&] {
    if constexpr (sizeof(T) == 1) {
      const view<const T> row{image.data, 1, 1, image.pixels(), 0, 0, 1};
      if (has_no_gaps(image) && has_aligned_groups(row, group)) {
        const auto blocks = blocks_for(ceil_div(row.width, byte_steps::pixels));
        summarize_bytes<<<blocks, pixel_tiles::threads, 0, on.stream>>>(rule, parts, row);
        return blocks;
      }
    }
    const pixel_tiles tiles(image, group);
    const auto blocks = blocks_for(tiles.count);
    summarize_pixels<<<blocks, tiles.threads, 0, on.stream>>>(tiles, has_aligned_groups(image, group), rule,
                                                              parts, image);
    return blocks;
  };
  const auto blocks = launch();
  on.launched("summary");
  on.synchronize("summary");
  auto total = rule.identity();
  for (unsigned i = 0; i < blocks; ++i) total = rule.join(total, parts[i]);
  return total;
}

}  // namespace macareu::cuda
