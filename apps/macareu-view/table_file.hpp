// Tables of objects in files.
#pragma once

#include <filesystem>

#include <macareu/table.hpp>

namespace macareu::tool {

/// Reads comma-separated values, also compressed by gzip: a line of names, then one line per row. Columns
/// whose values are not all numbers are left out. Throws io_error.
table read_table(const std::filesystem::path& file);

}  // namespace macareu::tool
