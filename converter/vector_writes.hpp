// The writes of an R2V function into its vector, which all pixels share.
#pragma once

#include "edits.hpp"

namespace macareu::converter {

/// Edits that turn `saida[i] += w` and `saida[i]++` into atomicAdd(&saida[i], w), the paper's form. Throws
/// usage_error for any other use of the vector, whose result would depend on the order of pixels.
std::vector<edit> atomic_writes(const unit& file, CXCursor function, CXCursor vector);

}  // namespace macareu::converter
