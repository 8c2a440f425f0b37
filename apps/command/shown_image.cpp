#include "shown_image.hpp"

#include <cmath>
#include <utility>

#include <macareu/error.hpp>

namespace macareu::tool {
namespace {

/// Whether both axes shrink alike, by a pixel or one per cent.
bool same_proportions(const extents& whole, const extents& level) {
  const auto ratio = static_cast<double>(level.width()) / static_cast<double>(whole.width());
  const auto height = static_cast<double>(whole.height()) * ratio;
  return level.rank() == whole.rank() && level.depth() == whole.depth() && level.width() < whole.width() &&
         std::abs(height - static_cast<double>(level.height())) <= std::max(1.0, height / 100);
}

}  // namespace

std::optional<std::array<double, 2>> micrometres(const source_form& form) {
  if (!form.info.spacing) return std::nullopt;
  const auto row = static_cast<std::size_t>(form.shape.rank() - 2);
  return std::array{(*form.info.spacing)[row] * 1000, (*form.info.spacing)[row + 1] * 1000};
}

std::vector<std::unique_ptr<image_source>> open_levels(const input_options& reading, const std::string& file,
                                                       const std::filesystem::path& scratch) {
  std::vector<std::unique_ptr<image_source>> levels;
  levels.push_back(reading.open_grey_or_colour(file, scratch));
  for (auto smaller = reading;;) {
    smaller.use_next_level();
    try {
      auto level = smaller.open_grey_or_colour(file, scratch);
      if (!same_proportions(levels[0]->form().shape, level->form().shape)) return levels;
      levels.push_back(std::move(level));
    } catch (const io_error&) {
      return levels;  // there is no such level
    }
  }
}

}  // namespace macareu::tool
