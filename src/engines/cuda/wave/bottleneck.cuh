// Bottleneck waves on the GPU: `tiles`, `contraction`, `auto`, which starts with the first and turns to the
// second when the wave proves long, and the strategies of the papers.
#pragma once

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

/// For 8, 16, 32 and 64-bit keys. True if every start was seen to lie within its capacity; else it is not
/// known.
template <class Key>
bool run_bottleneck(const gpu& on, const bottleneck_problem<Key>& problem);

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
