// What the main functions of the programs share.
#pragma once

#include <vector>

#include "verb.hpp"

namespace macareu::tool {

/// Finds the verb, parses its arguments and runs it; a failure becomes one line on stderr. Returns the exit
/// code.
int run_program(std::vector<verb> (*verbs)(), int count, char** values);

}  // namespace macareu::tool
