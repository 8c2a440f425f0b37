// The writes of an R2V function into its vector, which many pixels share.
#pragma once

#include "edits.hpp"

namespace macareu::converter {

/// What makes `saida[i] += w` and `saida[i]++` into atomicAdd(&saida[i], w), the paper's own form. Throws
/// usage_error for any other use of the vector: its result would depend on the order of pixels.
std::vector<edit> atomic_writes(const unit& file, CXCursor function, CXCursor vector);

}  // namespace macareu::converter
