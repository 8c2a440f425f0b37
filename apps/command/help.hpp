// Help pages, generated from the descriptions of verbs and options.
#pragma once

#include <string>
#include <vector>

#include "verb.hpp"

namespace macareu::tool {

/// `macareu --help`
std::string overview(const std::vector<verb>& verbs);
/// "macareu VERB INPUT -o OUTPUT [options]"
std::string usage_line(const verb& about, const parser& arguments);
/// The text that a verb without arguments prints.
std::string usage_of(const verb& about, const parser& arguments);
/// `macareu VERB --help`
std::string help_of(const verb& about, const parser& arguments);

}  // namespace macareu::tool
