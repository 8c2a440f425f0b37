// map on the GPU.
#pragma once

#include "engines/cuda/runtime/pixels.cuh"
#include "patterns/map.hpp"

namespace macareu::cuda {

template <class Out, int Group, class Rule, class... In>
__device__ pixel_group<Out, Group> map_group(const Rule& rule, site p,
                                             const pixel_group<In, Group>&... values) {
  pixel_group<Out, Group> result;
#pragma unroll
  for (int i = 0; i < Group; ++i) result.value[i] = rule(site{p.z, p.y, p.x + i}, values.value[i]...);
  return result;
}

template <int Group, class Rule, class Out, class... In>
__device__ void map_tile(const Rule& rule, const view<Out>& out, const tile_places& places,
                         const tile_groups<In, Group>&... values) {
#pragma unroll
  for (int i = 0; i < pixel_tiles::rows_per_thread; ++i)
    store_whole(&out[places.row[i]], map_group<Out, Group>(rule, places.row[i], values.row[i]...));
}

/// A group is read before it is written: `out` may be one of the inputs.
template <int Group, class Rule, class Out, class... In>
__global__ void __launch_bounds__(pixel_tiles::threads)
    map_pixels(pixel_tiles tiles, bool aligned, Rule rule, view<Out> out, view<const In>... in) {
  tiles.for_each_tile<Group>(
      [&](const tile_places& places) {
        if (aligned) map_tile<Group>(rule, out, places, load_tile<Group>(in, places)...);
        return aligned;
      },
      [&](site p, int pixels) {
        if (pixels == Group) {
          store_group(out, p, aligned, map_group<Out, Group>(rule, p, load_group<Group>(in, p, aligned)...));
          return;
        }
#pragma unroll 1
        for (const auto end = p.x + pixels; p.x < end; ++p.x) out[p] = rule(p, in[p]...);
      });
}

template <class Rule, class Out, class... In>
void run_map(const gpu& on, const Rule& rule, const view<Out>& out, const view<const In>&... in) {
  constexpr int group = group_of<Out, In...>(16);
  const bool aligned = has_aligned_groups(out, group) && (has_aligned_groups(in, group) && ...);
  const pixel_tiles tiles(out, group);
  map_pixels<group><<<tiles.all_blocks(), tiles.threads, 0, on.stream>>>(tiles, aligned, rule, out, in...);
  on.launched("map");
}

}  // namespace macareu::cuda
