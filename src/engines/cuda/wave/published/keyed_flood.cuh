// A bottleneck rule as a general one: one type for all rules and pixel types of a width. States are rising
// keys while the wave runs, so the dependency chain along a line is one minimum and one comparison a pixel.
// Capacities stay bits and are mapped where they are read, outside that chain.
#pragma once

#include "core/macros.hpp"
#include "core/site.hpp"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

template <class Key>
struct keyed_flood {
  static constexpr bool confluent = true;
  key_map<Key> map;

  MACAREU_HD bool better(Key a, Key b, site) const { return a > b; }
  MACAREU_HD Key offer(Key state, site, site, Key capacity) const {
    const Key most = map.key(capacity);
    return state < most ? state : most;
  }
};

}  // namespace macareu::cuda
