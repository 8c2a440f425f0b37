// The default strategy for ordinary images: tiles that a warp or a block solves on chip (docs/design.md).
//
// A tile is written by its owner alone. What its neighbours need of it are its rims, published beside the
// image, so they pull and never touch its pixels. A neighbour is woken only if it can rise. There are no
// rounds and no host in the loop: woken tiles wait in a queue on the device.
#pragma once

#include "engines/cuda/gpu.cuh"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

enum class tile_patience { endless, bounded };

enum class tile_outcome {
  settled,
  long_wave,  // given up: the states reached so far are a better start
  few_starts  // given up early: most tiles hold no start, so the wave must travel; the state is not written
              // everywhere
};

template <class Key>
tile_outcome run_tiles(const gpu& on, const bottleneck_problem<Key>& problem, tile_patience patience);

}  // namespace macareu::cuda
