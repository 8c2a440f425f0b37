// The verbs of the tool. Verbs of operators come from the catalogue. The others are written by hand and
// replace an operator's verb of the same name.
#pragma once

#include <string>
#include <vector>

#include <macareu/catalogue.hpp>

#include "command/verb.hpp"

namespace macareu::tool {

/// The help text of an operator: its notes, the formula, and its names in other libraries.
std::string notes_of(const operator_description& about);
std::vector<verb> operator_verbs();
verb measure_verb();
verb info_verb();
verb generate_verb();
verb compare_verb();
verb nuclei_verb();

}  // namespace macareu::tool
