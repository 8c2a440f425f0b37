// The shared main function of the programs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verb.hpp"

namespace macareu::tool {

/// Finds the verb, parses its arguments and runs it. Reports a failure as one line on stderr. Returns the
/// exit code.
int run_program(std::vector<verb> (*verbs)(), int count, char** values);

/// Runs `work`. Reports a failure as one line on stderr. Returns the exit code.
int guarded(const std::string& verb, const std::function<int()>& work);

}  // namespace macareu::tool
