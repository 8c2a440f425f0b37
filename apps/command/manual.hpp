// Manual pages and lists for shell completions, from the same options as the help.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verb.hpp"

namespace macareu::tool {

/// One line for each verb: name, tab, what it does.
std::string verb_lines(const std::vector<verb>& verbs);
/// One line for each option: name, tab, value (empty for a flag), tab, help; inputs have their name in
/// capitals.
std::string option_lines(const parser& arguments);
/// Writes macareu.1, where the program has operators, and macareu-VERB.1 of every verb of this program.
void write_manual(const std::vector<verb>& verbs, const std::filesystem::path& directory);

}  // namespace macareu::tool
