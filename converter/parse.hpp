// From a source file to the description of its marked function, through libclang. Nothing of it is executed.
#pragma once

#include "description.hpp"
#include "source.hpp"

namespace macareu::converter {

/// Throws usage_error with file, line, what is wrong and what was expected.
description parse(const source& from, const std::string& file);

/// Whether this build has libclang.
bool can_parse();

}  // namespace macareu::converter
