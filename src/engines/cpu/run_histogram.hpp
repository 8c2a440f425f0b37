// histogram on the cpu. Neighbours are often equal, and adding to a bin that was added to just before waits
// for it: pixels side by side add to bins of their own where those fit the cache.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engines/cpu/threads.hpp"
#include "engines/cpu/units.hpp"
#include "patterns/histogram.hpp"

namespace macareu::cpu {

/// Bins beyond this many are kept once for a thread.
inline constexpr std::size_t replicated_bins = 1024;
inline constexpr std::int64_t replicas = 4;

template <class Rule, class... In>
void histogram_row(const Rule& rule, site first, std::int64_t count, std::uint64_t* bins, std::size_t size,
                   bool replicated, const view<const In>&... in) {
  std::array<bin_sink, replicas> sinks;
  for (std::size_t i = 0; i < sinks.size(); ++i) sinks[i].bins = {bins + (replicated ? i * size : 0), size};
  const auto add = [&](std::int64_t x, std::size_t replica, const In*... row) {
    rule(site{first.z, first.y, first.x + x}, sinks[replica], row[x * in.step_x]...);
  };
  const auto over = [&](const In*... row) {
    std::int64_t x = 0;
    for (; x + replicas <= count; x += replicas) {
      add(x, 0, row...);
      add(x + 1, 1, row...);
      add(x + 2, 2, row...);
      add(x + 3, 3, row...);
    }
    for (; x < count; ++x) add(x, 0, row...);
  };
  over(&in[first]...);
}

template <class Rule, class First, class... In>
void run_histogram(const job& work, const Rule& rule, std::span<std::uint64_t> bins,
                   const view<const First>& first, const view<const In>&... in) {
  const int threads = threads_for(first.pixels(), work.how.threads);
  const bool replicated = bins.size() <= replicated_bins;
  std::vector<std::vector<std::uint64_t>> own(
      static_cast<std::size_t>(threads),
      std::vector<std::uint64_t>(bins.size() * (replicated ? replicas : 1)));
  const auto batch = std::max<std::int64_t>(1, 16 * 1024 / std::max<std::int64_t>(first.width, 1));
  over_units(work, threads, first.depth * first.height, batch, [&](int thread, std::int64_t row) {
    histogram_row(rule, site{row / first.height, row % first.height, 0}, first.width,
                  own[static_cast<std::size_t>(thread)].data(), bins.size(), replicated, first, in...);
  });
  for (const auto& part : own)
    for (std::size_t i = 0; i < part.size(); ++i) bins[i % bins.size()] += part[i];
}

/// Counts of all bytes of a row without gaps, four times over.
using byte_counts = std::array<std::array<std::uint32_t, 256>, 4>;

inline void count_bytes(const std::uint8_t* from, std::int64_t count, byte_counts& to) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::uint64_t eight;
    std::memcpy(&eight, from + i, sizeof eight);
    for (unsigned k = 0; k < 8; ++k) ++to[k % 4][eight >> 8 * k & 0xff];
  }
  for (; i < count; ++i) ++to[0][from[i]];
}

/// Bytes need no arithmetic and no check, whatever their sign.
template <class T>
requires(sizeof(T) == 1) void run_histogram(const job& work, const value_bins<T>& rule,
                                            std::span<std::uint64_t> bins, const view<const T>& image) {
  const int threads = threads_for(image.pixels(), work.how.threads);
  // Pieces that counts of 32 bits hold.
  constexpr std::int64_t piece = 1 << 16;
  const auto pieces = (image.width + piece - 1) / piece;
  std::vector<std::array<std::uint64_t, 256>> own(static_cast<std::size_t>(threads));
  const auto rows_at_once = std::max<std::int64_t>(1, piece / std::max<std::int64_t>(image.width, 1));
  const auto rows = image.depth * image.height;
  const auto groups = (rows + rows_at_once - 1) / rows_at_once;
  over_units(work, threads, groups * pieces, 1, [&](int thread, std::int64_t unit) {
    byte_counts counts{};
    const auto x = unit % pieces * piece, width = std::min(piece, image.width - x);
    const auto first = unit / pieces * rows_at_once;
    for (auto row = first; row < std::min(rows, first + rows_at_once); ++row) {
      const T* const from = &image[{row / image.height, row % image.height, x}];
      if (image.step_x == 1)
        count_bytes(reinterpret_cast<const std::uint8_t*>(from), width, counts);
      else
        for (std::int64_t i = 0; i < width; ++i)
          ++counts[0][static_cast<std::uint8_t>(from[i * image.step_x])];
    }
    auto& mine = own[static_cast<std::size_t>(thread)];
    for (const auto& part : counts)
      for (std::size_t i = 0; i < part.size(); ++i) mine[i] += part[i];
  });
  const bin_sink sink{bins};
  for (const auto& part : own)
    for (std::size_t i = 0; i < part.size(); ++i)
      sink.add(static_cast<T>(i) - static_cast<int>(rule.first), part[i]);
}

}  // namespace macareu::cpu
