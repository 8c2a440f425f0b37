// What a marked function may do: compute. No recursion, memory, globals, input or output.
#pragma once

#include <vector>

#include "clang.hpp"

namespace macareu::converter {

/// The functions of the file that `marked` calls, itself last, each once. Throws usage_error for what a
/// function must not do.
std::vector<CXCursor> checked_calls(CXCursor marked);

}  // namespace macareu::converter
