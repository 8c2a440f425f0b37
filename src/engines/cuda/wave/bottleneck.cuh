// Bottleneck waves on the GPU: strategies `tiles`, `contraction` and those of the papers. `auto` starts with
// tiles and switches to contraction if the wave proves long.
#pragma once

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

/// For 8, 16, 32 and 64-bit keys. True if every start lies within its capacity. False: unknown.
template <class Key>
bool run_bottleneck(const gpu& on, const bottleneck_problem<Key>& problem);

/// The wave from the border of an image (`problem.from_border`). Such a wave travels far, so `auto` contracts
/// it at once. False if the strategy is another one, or if memory lacks: nothing is written then.
template <class Key>
bool contract_from_border(const gpu& on, const bottleneck_problem<Key>& problem);

template <class Key, class T>
view<Key> as_bits(const view<T>& image) {
  return {reinterpret_cast<Key*>(image.data),
          image.depth,
          image.height,
          image.width,
          image.step_z,
          image.step_y,
          image.step_x};
}

}  // namespace macareu::cuda
