#include "places.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace macareu::pages {
namespace {

const table_column* find_column(const table& objects, std::string_view name) {
  const auto found = std::ranges::find(objects.columns, name, &table_column::name);
  return found == objects.columns.end() ? nullptr : &*found;
}

const std::vector<std::int64_t>& column_at(const table& places, std::size_t index) {
  return std::get<std::vector<std::int64_t>>(places.columns[index].values);
}

}  // namespace

std::optional<table> places_in(const table& objects) {
  struct naming {
    std::array<std::string_view, 5> columns;  ///< along x and y: two numbers each; then the size
    bool ends;                                ///< whether the second number is an end, else a length
  };
  constexpr std::array<naming, 2> namings{
      {{{"bbox-1", "bbox-3", "bbox-0", "bbox-2", "num_pixels"}, true},
       {{"bbox_x_px", "bbox_width_px", "bbox_y_px", "bbox_height_px", "area_px"}, false}}};
  if (find_column(objects, "bbox-4")) return std::nullopt;
  for (const auto& [names, ends] : namings) {
    std::array<std::vector<std::int64_t>, 5> found;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (const auto* column = find_column(objects, names[i]))
        std::visit([&](const auto& all) { found[i].assign(all.begin(), all.end()); }, column->values);
    if (std::ranges::any_of(names, [&](const auto& name) { return !find_column(objects, name); })) continue;
    for (std::size_t r = 0; r < objects.rows(); ++r)
      for (const std::size_t axis : {0u, 2u})
        found[axis][r] =
            ends ? (found[axis][r] + found[axis + 1][r]) / 2 : found[axis][r] + found[axis + 1][r] / 2;
    return table{{{"x", std::move(found[0])}, {"y", std::move(found[2])}, {"size", std::move(found[4])}}};
  }
  return std::nullopt;
}

bool all_inside(const table& places, const extents& shape) {
  const auto inside = [](const std::vector<std::int64_t>& column, std::int64_t end) {
    return std::ranges::all_of(column, [&](auto at) { return at >= 0 && at < end; });
  };
  return inside(column_at(places, 0), shape.width()) && inside(column_at(places, 1), shape.height());
}

std::int64_t told_size(const table& places, std::size_t row) { return column_at(places, 2)[row]; }

std::string other_size(const table& places, std::size_t row, std::uint64_t label, std::int64_t pixels) {
  const auto told = told_size(places, row);
  if (told == pixels) return {};
  return "Object " + std::to_string(label) + " has " + std::to_string(pixels) + " pixels, and " +
         std::to_string(told) + " in the table. Is it the table of another image?";
}

}  // namespace macareu::pages
