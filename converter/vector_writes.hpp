// The writes of an R2V function into its vector, which many pixels share.
#pragma once

#include "clang.hpp"

namespace macareu::converter {

/// The function's text with `saida[i] += w` and `saida[i]++` as atomicAdd(&saida[i], w), the paper's own
/// form. Throws usage_error for any other use of the vector: its result would depend on the order of pixels.
std::string with_atomic_writes(const unit& file, CXCursor function, CXCursor vector);

}  // namespace macareu::converter
