// The file that holds the user's function in a generated program.
#pragma once

#include <string>

#include "description.hpp"

namespace macareu::converter {

/// The whole of NAME_rule.hpp: definitions, functions, and the names that engines know them by.
std::string rule_text(const description& about, const std::string& border);

}  // namespace macareu::converter
