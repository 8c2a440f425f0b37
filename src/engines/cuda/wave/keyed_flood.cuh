// A bottleneck rule as a general one on the bits of its pixels: one type for all rules and types of a width.
#pragma once

#include "core/macros.hpp"
#include "core/site.hpp"
#include "engines/cuda/wave/problem.cuh"

namespace macareu::cuda {

template <class Key>
struct keyed_flood {
  static constexpr bool confluent = true;
  key_map<Key> map;

  MACAREU_HD bool better(Key a, Key b, site) const { return map.key(a) > map.key(b); }
  MACAREU_HD Key offer(Key state, site, site, Key capacity) const {
    return map.key(state) < map.key(capacity) ? state : capacity;
  }
};

}  // namespace macareu::cuda
