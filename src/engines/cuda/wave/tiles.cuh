// The default strategy for ordinary images: tiles that a warp or a block solves on chip
// (docs/explanation/engines.md).
//
// Only its owner writes a tile. The owner publishes the tile's rims (in volumes the voxels), and neighbours
// only read them. A tile wakes a neighbour only if the neighbour can rise. There are no rounds and no host in
// the loop: woken tiles wait in a queue on the device.
#pragma once

#include <functional>

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

struct tile_result {
  bool settled;  // else the wave was given up as too long; its states are a better start
  bool within;   // no start exceeds its capacity, and there is no NaN
};

/// `go_on`: called once, as soon as a wave is given up. Its launches run after the tile kernel, when the
/// states are written. Without it no wave is given up.
template <class Key>
tile_result run_tiles(const gpu& on, const bottleneck_problem<Key>& problem,
                      const std::function<void()>& go_on = {});

}  // namespace macareu::cuda
