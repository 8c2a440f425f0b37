// The file of a generated program that holds the user's function.
#pragma once

#include <string>

#include "description.hpp"

namespace macareu::converter {

/// The content of NAME_rule.hpp: definitions, functions, and their names for the engines.
std::string rule_text(const description& about, const std::string& border);

}  // namespace macareu::converter
