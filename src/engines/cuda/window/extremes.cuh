// extremes on the GPU, compiled once for each width of keys.
#pragma once

#include <span>

#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "patterns/extremes.hpp"

namespace macareu::cuda {

/// Device images. Instances: u8, u16, u32 and u64.
template <class Key>
void run_extremes(const gpu& on, const key_map<Key>& order, std::span<const chord> footprint,
                  const border<Key>& edge, const view<Key>& out, const view<const Key>& in);

}  // namespace macareu::cuda
