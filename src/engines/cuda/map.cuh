// map on the GPU.
#pragma once

#include "engines/cuda/pixels.cuh"
#include "patterns/map.hpp"

namespace macareu::cuda {

/// A group is read before it is written: `out` may be one of the inputs.
template <int Group, class Rule, class Out, class... In>
__global__ void map_pixels(pixel_tiles tiles, bool aligned, Rule rule, view<Out> out, view<const In>... in) {
  tiles.for_each_group<Group>([&](site p, int pixels) {
    if (pixels < Group) {
#pragma unroll 1
      for (const auto end = p.x + pixels; p.x < end; ++p.x) out[p] = rule(p, in[p]...);
      return;
    }
    const auto map_group = [&](const pixel_group<In, Group>&... values) {
      pixel_group<Out, Group> result;
#pragma unroll
      for (int i = 0; i < Group; ++i) result.value[i] = rule(site{p.z, p.y, p.x + i}, values.value[i]...);
      return result;
    };
    store_group(out, p, aligned, map_group(load_group<Group>(in, p, aligned)...));
  });
}

template <class Rule, class Out, class... In>
void run_map(const gpu& on, const Rule& rule, const view<Out>& out, const view<const In>&... in) {
  constexpr int group = group_of<Out, In...>(16);
  const bool aligned = has_aligned_groups(out, group) && (has_aligned_groups(in, group) && ...);
  const pixel_tiles tiles(out, group);
  map_pixels<group><<<tiles.blocks(on), tiles.threads, 0, on.stream>>>(tiles, aligned, rule, out, in...);
  on.launched("map");
}

}  // namespace macareu::cuda
