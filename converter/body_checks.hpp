// Checks that a marked function only computes: no recursion, allocation, globals, input or output.
#pragma once

#include <vector>

#include "clang.hpp"

namespace macareu::converter {

/// The functions of the file that `marked` calls, each once, with `marked` last. Throws usage_error for
/// forbidden constructs.
std::vector<CXCursor> checked_calls(CXCursor marked);

}  // namespace macareu::converter
