// The pages of operators in docs/reference/operators, and the page of names in other libraries.
#pragma once

#include <filesystem>

namespace macareu::pages {

/// Writes NAME.md for every operator, index.md and coming-from.md. Returns false if a file cannot be written.
bool write_operator_pages(const std::filesystem::path& folder);

}  // namespace macareu::pages
