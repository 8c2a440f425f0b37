// The default strategy for ordinary images: tiles that a warp or a block solves on chip
// (docs/explanation/engines.md).
//
// A tile is written by its owner alone. What its neighbours need of it are its rims, published beside the
// image, so they pull and never touch its pixels. A neighbour is woken only if it can rise. There are no
// rounds and no host in the loop: woken tiles wait in a queue on the device.
#pragma once

#include <functional>

#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

struct tile_result {
  bool settled;  // else given up, as too long a wave: the states reached so far are a better start
  bool within;   // no start was seen beyond its capacity, nor a NaN
};

/// `go_on`: is called once where a wave is given up, as soon as that is known; what it launches begins when
/// the states are there. Without it none is given up.
template <class Key>
tile_result run_tiles(const gpu& on, const bottleneck_problem<Key>& problem,
                      const std::function<void()>& go_on = {});

}  // namespace macareu::cuda
