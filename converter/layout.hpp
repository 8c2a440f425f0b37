// Generated text of any length, broken into lines as the project's clang-format does it.
#pragma once

#include <string>
#include <vector>

namespace macareu::converter {

constexpr std::size_t line_width = 110;

/// `opening` ends with a bracket; what does not fit its line continues below the first item. `closing` stays
/// with the last one.
std::string in_brackets(const std::string& opening, const std::vector<std::string>& items,
                        const std::string& closing);

}  // namespace macareu::converter
