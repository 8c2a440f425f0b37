// Labels of a watershed on the cpu (patterns/basins.hpp). Tiles find d apart, then fronts in ascending order
// of d correct what crosses between tiles, so that no pixel is corrected twice. Parents and paths are found
// in tiles again. A table of the pixels on all rims joins the paths.
#pragma once

#include <cstdint>

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"

namespace macareu::cpu {

/// For 8, 16, 32 and 64-bit keys. `passes` and `seeds` are contiguous.
template <class Key>
void run_basins(job& work, const neighbourhood& near, const view<std::uint32_t>& labels,
                const view<const Key>& passes, const view<const std::uint32_t>& seeds);

}  // namespace macareu::cpu
