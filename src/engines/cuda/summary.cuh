// summary on the GPU: a thread keeps the first group of pixels that has its smallest and its largest value,
// and looks for the pixel itself at the end. Bytes are compared in pairs and added in fours.
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

  key lowest = std::numeric_limits<key>::max(), highest = 0;
  site lowest_in{-1, 0, 0}, highest_in{-1, 0, 0};  // the group
  std::int64_t short_sum = 0;
  std::uint64_t short_squares = 0;
  int128 sum = 0;
  uint128 squares = 0;

  __device__ void take_range(site p, key low, key high) {
    if (low < lowest || lowest_in.z < 0) {
      lowest = low;
      lowest_in = p;
    }
    if (high > highest || highest_in.z < 0) {
      highest = high;
      highest_in = p;
    }
  }

  __device__ void take(site p, const T* values, int pixels) {
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
    take_range(p, low, high);
  }

  /// 16 bytes: keys of i8 are those of u8 with the highest bit turned.
  __device__ void take_bytes(site p, const pixel_group<T, 16>& bytes) {
    static_assert(sizeof(T) == 1);
    constexpr unsigned turn = std::is_signed_v<T> ? 0x80808080u : 0;
    const auto& words = reinterpret_cast<const uint4&>(bytes);
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
    take_range(p, static_cast<key>(l), static_cast<key>(h));
  }

  __device__ static std::int64_t place(const view<const T>& image, site p, key wanted) {
    while (to_key(without_negative_zero(image[p])) != wanted) ++p.x;
    return (p.z * image.height + p.y) * image.width + p.x;
  }

  __device__ summary<T> finished(const summary_of<T>& rule, const view<const T>& image) const {
    auto all = rule.identity();
    if (lowest_in.z < 0) return all;
    all.lowest = lowest;
    all.highest = highest;
    all.lowest_at = place(image, lowest_in, lowest);
    all.highest_at = place(image, highest_in, highest);
    all.sum = sum + short_sum;
    all.squares = squares + short_squares;
    return all;
  }
};

template <class T>
__global__ void summarize_pixels(pixel_tiles tiles, bool aligned, summary_of<T> rule, summary<T>* parts,
                                 view<const T> image) {
  using own = thread_summary<T>;
  own mine;
  tiles.for_each_group<own::group>([&](site p, int pixels) {
    if (pixels < own::group) {
      T some[own::group];
#pragma unroll
      for (int i = 0; i < own::group; ++i)
        if (i < pixels) some[i] = image[{p.z, p.y, p.x + i}];
      mine.take(p, some, pixels);
      return;
    }
    const auto values = load_group<own::group>(image, p, aligned);
    if constexpr (sizeof(T) == 1)
      mine.take_bytes(p, values);
    else
      mine.take(p, values.value, own::group);
  });
  const auto total = join_block(rule, mine.finished(rule, image));
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}

template <class T>
summary<T> run_summary(const gpu& on, const summary_of<T>& rule, const view<const T>& image) {
  constexpr int group = thread_summary<T>::group;
  const pixel_tiles tiles(image, group);
  using part_array = std::array<summary<T>, 2048>;
  auto* const parts = reinterpret_cast<summary<T>*>(landing_place<part_array>());
  const unsigned blocks = std::min<unsigned>(tiles.blocks(on), std::tuple_size_v<part_array>);
  summarize_pixels<<<blocks, tiles.threads, 0, on.stream>>>(tiles, has_aligned_groups(image, group), rule,
                                                            parts, image);
  on.launched("summary");
  on.synchronize("summary");
  auto total = rule.identity();
  for (unsigned i = 0; i < blocks; ++i) total = rule.join(total, parts[i]);
  return total;
}

}  // namespace macareu::cuda
