// Manual pages and lists for shell completions, from the same options as the help.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verb.hpp"

namespace macareu::tool {

/// One line per verb: name, tab, brief.
std::string verb_lines(const std::vector<verb>& verbs);
/// One line per option: name, tab, value (empty for a flag), tab, help. Names of inputs are in capitals.
std::string option_lines(const parser& arguments);
/// Writes macareu.1, if the program has operators, and macareu-VERB.1 for every verb of this program.
void write_manual(const std::vector<verb>& verbs, const std::filesystem::path& directory);

}  // namespace macareu::tool
