#include "model.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <macareu/error.hpp>

#include "core/ceil_div.hpp"
#include "packed.hpp"

namespace macareu::pages {
namespace {

bool holds_labels(dtype type) { return type != dtype::f32 && type != dtype::f64; }

template <class List, class Text>
std::string json_list(const List& list, Text text) {
  std::string all = "[";
  for (const auto& one : list) all += (all.size() > 1 ? "," : "") + text(one);
  return all + "]";
}

}  // namespace

page_model::page_model(page_content content) : content_(std::move(content)) {
  check();
  for (const auto& image : content_.images) images_.emplace_back(image);
  if (!content_.objects) return;
  rows_.emplace(*content_.objects);
  columns_.emplace(*content_.objects);
}

void page_model::check() const {
  if (content_.images.empty() || content_.images[0].levels.empty())
    throw usage_error("a page needs an image to show");
  const auto& first = content_.images[0].levels[0]->form().shape;
  if (first.pixels() == 0) throw usage_error(content_.images[0].name + " has no pixels to show");
  const auto check_shape = [&](const std::string& name, const extents& shape) {
    if (shape != first)
      throw usage_error(name + " is " + to_string(shape) + ", and " + content_.images[0].name + " is " +
                        to_string(first) + ": images of a page have one shape");
  };
  for (const auto& image : content_.images) check_shape(image.name, image.levels.at(0)->form().shape);
  if (content_.labels.levels.empty()) {
    if (content_.objects) throw usage_error("a table needs the label image whose objects it describes");
    return;
  }
  const auto& labels = content_.labels.levels[0]->form();
  check_shape(content_.labels.name, labels.shape);
  if (!holds_labels(labels.type) || labels.channels != 1)
    throw usage_error(content_.labels.name + " has " + std::to_string(labels.channels) + " channels of " +
                      std::string(name_of(labels.type)) + ": labels are whole numbers in one channel");
}

std::int64_t page_model::object_rows() const { return ceil_div(shape().height(), object_tile_side); }
std::int64_t page_model::object_columns() const { return ceil_div(shape().width(), object_tile_side); }

std::string page_model::meta(const meta_parts& parts) const {
  std::string images;
  for (std::size_t i = 0; i < images_.size(); ++i) {
    const auto& [type, coarse_from, version] = parts.images[i];
    images += (i > 0 ? ",{\"name\":" : "{\"name\":") + json_string(content_.images[i].name) +
              ",\"type\":" + json_string(type) +
              ",\"coarseFrom\":" + (coarse_from ? std::to_string(*coarse_from) : "null") +
              ",\"version\":" + std::to_string(version) + "}";
  }
  std::string objects = "null";
  if (labels()) {
    objects = "{\"name\":" + json_string(content_.labels.name) +
              ",\"tile\":" + std::to_string(object_tile_side) + ",\"counts\":" +
              (parts.counts.empty() ? std::string("null")
                                    : json_list(parts.counts, [](auto n) { return std::to_string(n); })) +
              ",\"raster\":{\"first\":" + std::to_string(raster_halvings) +
              ",\"levels\":" + std::to_string(parts.raster_levels) +
              ",\"exact\":" + (parts.raster_exact ? "true" : "false") +
              ",\"version\":" + std::to_string(parts.raster_version) + "}" +
              ",\"rows\":" + (rows_ ? std::to_string(rows_->rows()) : "null") +
              ",\"block\":" + std::to_string(rows_in_block) +
              ",\"columns\":" + (columns_ ? columns_->description() : "[]") +
              ",\"places\":" + (parts.places ? parts.places->description() : "null") + "}";
  }
  const auto& size = content_.pixel_size;
  return "macareu.meta({\"title\":" + json_string(content_.title) +
         ",\"width\":" + std::to_string(shape().width()) + ",\"height\":" + std::to_string(shape().height()) +
         ",\"slices\":" + std::to_string(shape().depth()) + ",\"tile\":" + std::to_string(tile_side) +
         ",\"halvings\":" + std::to_string(halvings_of(shape())) + ",\"pixelSize\":" +
         (size ? "[" + number_text((*size)[0]) + "," + number_text((*size)[1]) + "]" : "null") +
         ",\"note\":" + json_string(parts.note) + ",\"live\":" + (parts.live ? "true" : "false") +
         ",\"mode\":" + (content_.side_by_side ? "\"side\"" : "\"slider\"") + ",\"images\":[" + images +
         "],\"objects\":" + objects + ",\"outline\":" + json_string(content_.outline) +
         ",\"summary\":" + json_string(content_.summary) + "});\n";
}

std::string image_tile_name(std::size_t image, const extents& shape, const tile_place& place,
                            std::string_view type) {
  // Deep Zoom counts levels from one pixel.
  const auto longest = static_cast<std::uint64_t>(std::max(shape.width(), shape.height()));
  const auto level = static_cast<int>(std::bit_width(longest - 1)) - place.halvings;
  return "page/data/image-" + std::to_string(image) + "-" + std::to_string(place.slice) + "_files/" +
         std::to_string(level) + "/" + std::to_string(place.x) + "_" + std::to_string(place.y) + "." +
         std::string(type);
}

std::string data_name(std::string_view kind, std::initializer_list<std::int64_t> numbers) {
  std::string name(kind);
  for (const auto& number : numbers)
    name += (&number == numbers.begin() ? "/" : "-") + std::to_string(number);
  return name;
}

std::string data_text(std::string_view name, std::string_view bytes) {
  return "macareu.take(" + json_string(name) + ",\"" + base64(bytes) + "\");\n";
}

}  // namespace macareu::pages
