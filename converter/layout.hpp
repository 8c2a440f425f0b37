// Breaks generated text into lines in the style of the project's clang-format.
#pragma once

#include <string>
#include <vector>

namespace macareu::converter {

constexpr std::size_t line_width = 110;

/// `opening` ends with a bracket. Items that do not fit the line continue below the first one. `closing`
/// stays with the last item.
std::string in_brackets(const std::string& opening, const std::vector<std::string>& items,
                        const std::string& closing);

}  // namespace macareu::converter
