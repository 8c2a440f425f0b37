// reduce on the GPU.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "engines/cuda/runtime/pixels.cuh"
#include "patterns/reduce.hpp"

namespace macareu::cuda {

/// Returns the result in all threads of the block. Call once per kernel. A plain tree: cub::BlockReduce is no
/// faster after a pass over an image, and adds a fifth to the compile time of every operator.
template <class Rule>
__device__ typename Rule::value join_block(const Rule& rule, const typename Rule::value& own) {
  using value = typename Rule::value;
  static_assert(std::is_trivially_copyable_v<value>);
  __shared__ alignas(value) unsigned char memory[pixel_tiles::threads * sizeof(value)];
  auto* const values = reinterpret_cast<value*>(memory);
  values[threadIdx.x] = own;
#pragma unroll 1
  for (unsigned half = pixel_tiles::threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = rule.join(values[threadIdx.x], values[threadIdx.x + half]);
  }
  __syncthreads();
  return values[0];
}

template <int Group, class Rule, class... In>
__global__ void reduce_pixels(pixel_tiles tiles, bool aligned, Rule rule, typename Rule::value* parts,
                              view<const In>... in) {
  auto total = rule.identity();
  tiles.for_each_group<Group>([&](site p, int pixels) {
    if (pixels < Group) {
#pragma unroll 1
      for (const auto end = p.x + pixels; p.x < end; ++p.x) total = rule.join(total, rule.lift(p, in[p]...));
      return;
    }
    const auto join_group = [&](const pixel_group<In, Group>&... values) {
#pragma unroll
      for (int i = 0; i < Group; ++i)
        total = rule.join(total, rule.lift(site{p.z, p.y, p.x + i}, values.value[i]...));
    };
    join_group(load_group<Group>(in, p, aligned)...);
  });
  total = join_block(rule, total);
  if (threadIdx.x == 0) parts[blockIdx.x] = total;
}

/// Blocks write their parts to pinned host memory, and the host joins them. This is cheaper than a second
/// kernel and a copy, and needs no more code per rule.
template <class Rule, class First, class... In>
typename Rule::value run_reduce(const gpu& on, const Rule& rule, const view<const First>& first,
                                const view<const In>&... in) {
  constexpr int group = group_of<First, In...>(16);
  const bool aligned = has_aligned_groups(first, group) && (has_aligned_groups(in, group) && ...);
  const pixel_tiles tiles(first, group);
  using part_array = std::array<typename Rule::value, 2048>;
  auto* const parts = reinterpret_cast<typename Rule::value*>(pinned_place<part_array>());
  const unsigned blocks = std::min<unsigned>(tiles.blocks(on), std::tuple_size_v<part_array>);
  reduce_pixels<group><<<blocks, tiles.threads, 0, on.stream>>>(tiles, aligned, rule, parts, first, in...);
  on.launched("reduce");
  on.synchronize("reduce");
  auto total = rule.identity();
  for (unsigned i = 0; i < blocks; ++i) total = rule.join(total, parts[i]);
  return total;
}

}  // namespace macareu::cuda
