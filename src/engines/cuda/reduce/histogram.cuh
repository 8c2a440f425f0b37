// histogram on the GPU. Each block counts into bins in shared memory, replicated where there is room to
// reduce contention. Runs of equal pixels are added at once, so that a constant image does not serialise on
// one bin.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engines/cuda/reduce/byte_histogram.cuh"
#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/histogram.hpp"

namespace macareu::cuda {

/// All threads add to the same bins.
struct shared_bins {
  unsigned long long* bins;
  std::int64_t count;

  __device__ void add(std::int64_t bin, std::uint64_t weight = 1) const {
    if (bin >= 0 && bin < count) atomicAdd(bins + bin, static_cast<unsigned long long>(weight));
  }
};

/// Accumulates a run of one bin and adds it at once. For rules that only count.
template <class Bin>
struct merging_bins {
  Bin* bins;
  std::int64_t count;
  struct run {
    std::int64_t bin = -1;
    Bin length = 0;
  };
  run* last;

  __device__ void add(std::int64_t bin) const {
    if (bin == last->bin) {
      ++last->length;
      return;
    }
    flush();
    *last = {bin, 1};
  }
  __device__ void flush() const {
    if (last->bin >= 0 && last->bin < count) atomicAdd(bins + last->bin, last->length);
  }
};

template <class Rule, class... In>
__global__ void histogram_pixels(pixel_tiles tiles, Rule rule, shared_bins sink, view<const In>... in) {
  tiles.for_each_group<1>([&](site p, int) { rule(p, sink, in[p]...); });
}

template <int Group, class Bin, class Rule, class... In>
__device__ void count_into(Bin* bins, std::int64_t count, const pixel_tiles& tiles, bool aligned,
                           const Rule& rule, const view<const In>&... in) {
  typename merging_bins<Bin>::run last;
  const merging_bins<Bin> sink{bins, count, &last};
  tiles.for_each_group<Group>([&](site p, int pixels) {
    if (pixels < Group) {
#pragma unroll 1
      for (const auto end = p.x + pixels; p.x < end; ++p.x) rule(p, sink, in[p]...);
      return;
    }
    const auto count_group = [&](const pixel_group<In, Group>&... values) {
#pragma unroll
      for (int i = 0; i < Group; ++i) rule(site{p.z, p.y, p.x + i}, sink, values.value[i]...);
    };
    count_group(load_group<Group>(in, p, aligned)...);
  });
  sink.flush();
}

/// Uses `replicas` copies of the bins in shared memory. With 0, threads add to the global bins.
template <int Group, class Rule, class... In>
__global__ void count_pixels(pixel_tiles tiles, bool aligned, int replicas, Rule rule, shared_bins total,
                             view<const In>... in) {
  extern __shared__ unsigned int own[];
  if (replicas == 0) return count_into<Group>(total.bins, total.count, tiles, aligned, rule, in...);
  for (auto i = std::int64_t{threadIdx.x}; i < replicas * total.count; i += blockDim.x) own[i] = 0;
  __syncthreads();
  count_into<Group>(own + threadIdx.x / 32 % replicas * total.count, total.count, tiles, aligned, rule,
                    in...);
  __syncthreads();
  for (auto i = std::int64_t{threadIdx.x}; i < total.count; i += blockDim.x) {
    unsigned long long sum = 0;
    for (int r = 0; r < replicas; ++r) sum += own[r * total.count + i];
    if (sum != 0) atomicAdd(total.bins + i, sum);
  }
}

/// 32-bit bins suffice: a block has at most 2^31 pixels.
template <class Rule, class... In>
void run_counting(const gpu& on, const Rule& rule, const shared_bins& total, const view<const In>&... in) {
  constexpr int group = group_of<In...>(16);
  const auto& first = std::get<0>(std::tie(in...));
  const pixel_tiles tiles(first, group);
  const auto fit = tuning::shared_bin_bytes / (total.count * static_cast<std::int64_t>(sizeof(unsigned)));
  const int replicas = static_cast<int>(std::min<std::int64_t>(fit, tiles.threads / 32));
  const bool aligned = (has_aligned_groups(in, group) && ...);
  count_pixels<group>
      <<<tiles.blocks(on), tiles.threads, replicas * total.count * sizeof(unsigned), on.stream>>>(
          tiles, aligned, replicas, rule, total, in...);
  on.launched("histogram");
}

template <class Rule, class First, class... In>
void run_histogram(const gpu& on, const Rule& rule, std::span<std::uint64_t> bins,
                   const view<const First>& first, const view<const In>&... in) {
  if (bins.empty()) return;
  const device_array<unsigned long long> counts(on, static_cast<std::int64_t>(bins.size()));
  counts.fill_bytes(0);
  const shared_bins total{counts.data(), counts.size()};
  if constexpr (only_counts<Rule>) {
    run_counting(on, rule, total, first, in...);
  } else {
    const pixel_tiles tiles(first, 1);
    histogram_pixels<<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(tiles, rule, total, first, in...);
    on.launched("histogram");
  }
  std::vector<unsigned long long> added(bins.size());
  check(cudaMemcpyAsync(added.data(), counts.data(), added.size() * sizeof(added[0]), cudaMemcpyDeviceToHost,
                        on.stream),
        "cudaMemcpyAsync");
  on.synchronize("histogram");
  for (std::size_t i = 0; i < bins.size(); ++i) bins[i] += added[i];
}

/// Counts byte values from `rule.first` on. Returns false if the bins exceed the range of bytes.
inline bool run_byte_histogram(const gpu& on, const value_bins<std::uint8_t>& rule,
                               std::span<std::uint64_t> bins, const view<const std::uint8_t>& image) {
  using all_counts = std::array<unsigned long long, 256>;
  if (bins.size() + rule.first > std::tuple_size_v<all_counts>) return false;
  const device_array<all_counts> counts(on, 1);
  counts.fill_bytes(0);
  count_bytes(on, image, counts.data()->data());
  const auto found = fetch(on, counts.data());
  for (std::size_t i = 0; i < bins.size(); ++i) bins[i] += found[rule.first + i];
  return true;
}

}  // namespace macareu::cuda
