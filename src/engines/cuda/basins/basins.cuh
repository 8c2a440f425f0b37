// Labels of a watershed on a GPU (patterns/basins.hpp).
#pragma once

#include <cstdint>

#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// For 8, 16, 32 and 64-bit keys. `passes` and `seeds` are dense.
template <class Key>
void run_basins(const gpu& on, const neighbourhood& near, const view<std::uint32_t>& labels,
                const view<const Key>& passes, const view<const std::uint32_t>& seeds);

}  // namespace macareu::cuda
