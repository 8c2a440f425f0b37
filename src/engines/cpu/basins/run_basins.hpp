// Labels of a watershed on the cpu (patterns/basins.hpp). Tiles find d and parents apart. Rounds in ascending
// order of d then correct what crosses between tiles, and parents are found again only around corrected
// pixels. A table of the pixels on all rims joins the paths of parents.
#pragma once

#include <cstdint>

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"

namespace macareu::cpu {

/// `passes` and `seeds` are contiguous.
template <class Key>
using basin_kernel = void (*)(job& work, const neighbourhood& near, const view<std::uint32_t>& labels,
                              const view<const Key>& passes, const view<const std::uint32_t>& seeds);

struct basin_kernels {
  basin_kernel<std::uint8_t> on_8;
  basin_kernel<std::uint16_t> on_16;
  basin_kernel<std::uint32_t> on_32;
  basin_kernel<std::uint64_t> on_64;

  template <class Key>
  basin_kernel<Key> on() const {
    if constexpr (sizeof(Key) == 1) return on_8;
    if constexpr (sizeof(Key) == 2) return on_16;
    if constexpr (sizeof(Key) == 4) return on_32;
    if constexpr (sizeof(Key) == 8) return on_64;
  }
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const basin_kernels own_basin_kernels;
const basin_kernels& best_basin_kernels();

}  // namespace macareu::cpu
