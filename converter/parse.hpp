// Parses a source file with libclang into the description of its marked function. No code is executed.
#pragma once

#include "description.hpp"
#include "source.hpp"

namespace macareu::converter {

/// Throws usage_error with file, line, problem and expectation.
description parse(const source& from, const std::string& file);

/// Whether this build has libclang.
bool can_parse();

}  // namespace macareu::converter
