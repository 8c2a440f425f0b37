// histogram on the cpu. Neighbours are often equal, and adding to a bin that was added to just before waits
// for it: pixels side by side add to bins of their own where those fit the cache.
#pragma once

#include <array>
#include <cstdint>
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

}  // namespace macareu::cpu
