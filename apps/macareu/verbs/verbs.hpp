// The verbs of the tool. Those of operators come from the catalogue; the others are written out, and take the
// place of an operator's of the same name.
#pragma once

#include <string>
#include <vector>

#include <macareu/catalogue.hpp>

#include "command/verb.hpp"

namespace macareu::tool {

/// What the help says of an operator: its notes, the formula, and what other libraries call it.
std::string notes_of(const operator_description& about);
std::vector<verb> operator_verbs();
verb measure_verb();
verb info_verb();
verb generate_verb();
verb compare_verb();

}  // namespace macareu::tool
