// A watershed of any key; narrow_keys.cpp and wide_keys.cpp compile it.
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include <macareu/error.hpp>

#include "engines/cpu/basins/basin_corrections.hpp"
#include "engines/cpu/basins/basin_labels.hpp"
#include "engines/cpu/basins/basin_run.hpp"
#include "engines/cpu/basins/run_basins.hpp"

namespace macareu::cpu {
namespace {

template <class Key>
void run_basins(job& work, const neighbourhood& near, const view<std::uint32_t>& labels,
                const view<const Key>& passes, const view<const std::uint32_t>& seeds) {
  if (passes.depth * passes.height > std::numeric_limits<std::uint32_t>::max() ||
      passes.width > std::numeric_limits<std::uint32_t>::max())
    throw call_error({.kind = fault::shape,
                      .operation = "watershed",
                      .parts = {std::to_string(std::max(passes.depth * passes.height, passes.width)) +
                                " rows or columns exceed numbers of 32 bits; compute the image in pieces"}});
  basin_run<Key>(work, near, labels, passes, seeds).run();
}

}  // namespace

}  // namespace macareu::cpu
