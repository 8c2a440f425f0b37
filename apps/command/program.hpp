// The shared main function of the programs.
#pragma once

#include <vector>

#include "verb.hpp"

namespace macareu::tool {

/// Finds the verb, parses its arguments and runs it. Reports a failure as one line on stderr. Returns the
/// exit code.
int run_program(std::vector<verb> (*verbs)(), int count, char** values);

}  // namespace macareu::tool
