// Where a table says that objects are, and whether that fits a label image.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <macareu/image.hpp>
#include <macareu/table.hpp>

namespace macareu::pages {

/// Columns x, y and size in pixels, from the columns that `measure` or `nuclei` writes; nothing if the table
/// has neither, or is of a volume.
std::optional<table> places_in(const table& objects);

bool all_inside(const table& places, const extents& shape);

/// The size of an object in its row.
std::int64_t told_size(const table& places, std::size_t row);
/// A message if the row of a label has another size; empty if it is the same.
std::string other_size(const table& places, std::size_t row, std::uint64_t label, std::int64_t pixels);

}  // namespace macareu::pages
