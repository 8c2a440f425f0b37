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

}  // namespace macareu::cpu
