#include "shown_files.hpp"

#include <filesystem>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/text_file.hpp>

#include "command/shown_image.hpp"
#include "command/text.hpp"
#include "mask_outline.hpp"
#include "table_file.hpp"

namespace macareu::tool {

page_image shown_files::open_image(const std::string& file, const input_options& how) {
  page_image shown{std::filesystem::path(file).filename().string(), {}};
  for (auto& level : open_levels(how, file, std::filesystem::temp_directory_path())) {
    shown.levels.push_back(level.get());
    sources_.push_back(std::move(level));
  }
  return shown;
}

page_content shown_files::open() {
  auto all = images;
  for (const auto& file : {labels, mask})
    if (!file.empty()) all.push_back(file);
  reading.check(all);
  if (!table.empty() && labels.empty())
    throw usage_error("--table needs --labels, whose objects it describes");
  page_content content;
  for (const auto& file : images) {
    content.title += (content.title.empty() ? "" : ", ") + std::filesystem::path(file).filename().string();
    content.images.push_back(open_image(file, reading));
  }
  content.side_by_side = side_by_side;
  const auto& first = content.images[0].levels[0]->form();
  content.pixel_size = micrometres(first);
  if (!labels.empty()) content.labels = open_image(labels, reading.without_colour());
  if (!table.empty()) {
    objects_ = read_table(table);
    content.objects = &objects_;
  }
  const auto kind = lower(std::filesystem::path(mask).extension().string());
  if (kind == ".geojson" || kind == ".json" || kind == ".gz")
    read_lines(mask, [&](std::string_view line) { (content.outline += line) += '\n'; });
  else if (!mask.empty())
    content.outline =
        mask_outline(*open_image(mask, reading.without_colour()).levels.back(), first.shape.width());
  return content;
}

}  // namespace macareu::tool
