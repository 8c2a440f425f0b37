// A watershed by tiles of 64 x 64 pixels (world.cuh), for images with keys of at most 32 bits.
#pragma once

#include <cstdint>

#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda::tile_basins {

/// Not in thin images, whose tiles are nearly empty.
bool fits(const neighbourhood& near, std::int64_t height, std::int64_t width);

/// From seeds. `passes` and `seeds` are dense.
template <class Key>
void run(const gpu& on, const neighbourhood& near, const view<std::uint32_t>& labels,
         const view<const Key>& passes, const view<const std::uint32_t>& seeds);

/// From the regional minima of `levels`, which is dense. Returns their number. `levels` becomes L: that of
/// `heights` at minima. `mask`: dense, or without data.
template <class Key>
std::uint64_t run_from_minima(const gpu& on, const neighbourhood& near, const view<std::uint32_t>& labels,
                              const view<Key>& levels, const view<const Key>& heights,
                              const view<const std::uint8_t>& mask);

}  // namespace macareu::cuda::tile_basins
