// The call of an operator that gives polygons.
#pragma once

#include <macareu/shapes.hpp>

#include "core/call.hpp"

namespace macareu {

struct shapes_call : call {
  const take_shape* take = nullptr;
  std::int64_t spare_bytes = 0;  // of host memory, for what the operator keeps beside its images
};

/// Only compute_shapes runs operators that give polygons, so their call is one for shapes.
inline void give_shape(const call& call, const shape& one) {
  call.work.results_touched = true;
  (*static_cast<const shapes_call&>(call).take)(one);
}

inline std::int64_t spare_bytes_of(const call& call) {
  return static_cast<const shapes_call&>(call).spare_bytes;
}

}  // namespace macareu
