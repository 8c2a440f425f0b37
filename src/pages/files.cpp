// The files of a page, made when they are asked for.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <mutex>
#include <utility>

#include "core/ceil_div.hpp"
#include "model.hpp"
#include "packed.hpp"
#include "places.hpp"

namespace macareu {
namespace pages {
namespace {

std::string type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> types{
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".png", "image/png"},
       {".txt", "text/plain; charset=utf-8"}}};
  for (const auto& [end, type] : types)
    if (name.ends_with(end)) return std::string(type);
  return "application/octet-stream";
}

/// The numbers between `head` and `tail`, separated by single characters; empty if the name has another form.
std::vector<std::int64_t> numbers_in(std::string_view name, std::string_view head, std::string_view tail) {
  if (!name.starts_with(head) || !name.ends_with(tail) || name.size() < head.size() + tail.size()) return {};
  name = name.substr(head.size(), name.size() - head.size() - tail.size());
  std::vector<std::int64_t> numbers;
  for (const char* at = name.data(); at < name.data() + name.size();) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(at, name.data() + name.size(), number);
    if (error != std::errc() || number < 0) return {};
    numbers.push_back(number);
    at = end + 1;
  }
  return numbers;
}

}  // namespace
}  // namespace pages

struct page_files::state {
  explicit state(page_content content) : model(std::move(content)) {
    const auto& about = model.content();
    if (model.labels()) covered.emplace(about.labels, pages::tile_reader::kind::labels);
    for (auto& image : model.images()) image.start_overview();
    if (covered) covered->start_overview();
    if (about.objects) places_table = pages::places_in(*about.objects);
    if (places_table && pages::all_inside(*places_table, model.shape()))
      places.emplace(*places_table);
    else if (places_table)
      note =
          "The table has objects outside of the image. Is it the table of another image? Colours and filters "
          "are shown near by only.";
  }

  std::string meta() {
    const auto& shape = model.shape();
    int levels = 1;
    while (pages::halved_side(std::max(shape.width(), shape.height()), pages::raster_halvings + levels - 1) >
           pages::tile_side)
      ++levels;
    std::vector<pages::page_model::image_part> images;
    for (const auto& reader : model.images())
      images.push_back({"png", reader.overview_halvings(), reader.version()});
    return model.meta({.images = std::move(images),
                       .places = places ? &*places : nullptr,
                       .raster_levels = levels,
                       .raster_exact = !covered || !covered->overview_halvings(),
                       .raster_version = covered ? covered->version() : 0,
                       .note = note,
                       .live = true});
  }

  /// Numbers come from requests, and may be of any size.
  static bool is_tile_of(const extents& shape, const pages::tile_place& place) {
    return place.x < ceil_div(pages::halved_side(shape.width(), place.halvings), pages::tile_side) &&
           place.y < ceil_div(pages::halved_side(shape.height(), place.halvings), pages::tile_side);
  }

  bool contains(const pages::tile_place& place) const {
    const auto& shape = model.shape();
    return place.slice < shape.depth() && place.halvings >= 0 &&
           place.halvings <= pages::halvings_of(shape) && is_tile_of(shape, place);
  }

  std::optional<page_files::file> image_tile(std::string_view name) {
    const auto slash = name.find("_files/");  // image-I-Z_files/L/X_Y.png
    if (slash == std::string_view::npos) return std::nullopt;
    const auto first = pages::numbers_in(name.substr(0, slash), "page/data/image-", "");
    const auto second = pages::numbers_in(name.substr(slash), "_files/", ".png");
    if (first.size() != 2 || second.size() != 3) return std::nullopt;
    const auto image = static_cast<std::size_t>(first[0]);
    if (image >= model.images().size() || second[0] > 64) return std::nullopt;
    pages::tile_place place{first[1], second[1], second[2], 0};
    const auto& shape = model.shape();
    place.halvings = static_cast<int>(std::bit_width(
                         static_cast<std::uint64_t>(std::max(shape.width(), shape.height()) - 1))) -
                     static_cast<int>(second[0]);
    if (!contains(place)) return std::nullopt;
    auto& reader = model.images()[image];
    // Before the tile is made: one that is coarse must not be taken for a fine one.
    const bool fine = place.halvings < reader.overview_halvings().value_or(0) || !reader.refines();
    auto tile = pages::encoded(reader.read_scaled(place), 0);
    // What could not be read may be readable later.
    return page_files::file{pages::type_of(name), std::move(tile), fine && reader.failure().empty()};
  }

  std::optional<std::string> object_tile(const std::vector<std::int64_t>& at) {
    if (at.size() != 3 || at[0] >= model.shape().depth() || at[1] >= model.object_rows() ||
        at[2] >= model.object_columns())
      return std::nullopt;
    pages::object_tile tile;
    try {
      const std::lock_guard lock(covered->lock());
      tile = pages::read_object_tile(*model.labels(), at[0], at[1], at[2]);
    } catch (const std::exception& failure) {
      covered->remember_failure(failure.what());
      throw;
    }
    const auto shapes = pages::shapes_of(tile);
    check_sizes(shapes);
    return shapes.empty() ? std::string() : pages::packed_shapes(shapes, tile, model.rows());
  }

  /// Objects may have parts in other tiles: they can be too large for their rows here, but not too small.
  void check_sizes(const std::vector<shape>& shapes) {
    if (!places_table) return;
    for (const auto& object : shapes) {
      const auto row = (*model.rows())[object.label];
      const auto pixels = pages::pixels_of(object);
      if (!row || pixels <= pages::told_size(*places_table, *row)) continue;
      const std::lock_guard lock(misfit_lock);
      misfit = pages::other_size(*places_table, *row, object.label, pixels);
      return;
    }
  }

  std::optional<std::string> raster_tile(const std::vector<std::int64_t>& at) {
    const auto& shape = model.shape();
    const auto most = std::max(pages::raster_halvings, pages::halvings_of(shape));
    if (at.size() != 4 || at[1] < pages::raster_halvings || at[1] > most) return std::nullopt;
    const pages::tile_place place{at[0], at[3], at[2], static_cast<int>(at[1])};
    if (place.slice >= shape.depth() || !is_tile_of(shape, place)) return std::nullopt;
    auto tile = covered->read_scaled(place);
    std::ranges::transform(tile.pixels, tile.pixels.begin(), pages::shown_share);
    return pages::deflated({reinterpret_cast<const char*>(tile.pixels.data()), tile.pixels.size()}, 1);
  }

  static std::optional<std::string> block(const pages::column_files* columns,
                                          const std::vector<std::int64_t>& at) {
    if (!columns || at.size() != 2 || at[0] >= static_cast<std::int64_t>(columns->count()) ||
        at[1] >= static_cast<std::int64_t>(columns->blocks()))
      return std::nullopt;
    return columns->block(static_cast<std::size_t>(at[0]), static_cast<std::size_t>(at[1]));
  }

  bool refines() {
    return (covered && covered->refines()) ||
           std::ranges::any_of(model.images(), [](const auto& reader) { return reader.refines(); });
  }

  /// Whether tiles become finer, numbers that grow when they have, and what is wrong with files.
  std::string progress() {
    const bool refines = this->refines();
    std::string versions, messages;
    const auto add_message = [&](const std::string& text) {
      messages += (messages.empty() ? "" : ",") + pages::json_string(text);
    };
    const auto add_failure = [&](const std::string& name, const std::string& reason) {
      if (!reason.empty()) add_message("A part of " + name + " cannot be read and is left out: " + reason);
    };
    for (std::size_t i = 0; i < model.images().size(); ++i) {
      const auto& reader = model.images()[i];
      versions += (i > 0 ? "," : "") + std::to_string(reader.version());
      add_failure(model.content().images[i].name, reader.failure());
    }
    if (covered) add_failure(model.content().labels.name, covered->failure());
    {
      const std::lock_guard lock(misfit_lock);
      if (!misfit.empty()) add_message(misfit);
    }
    return pages::deflated(
        "{\"images\":[" + versions + "],\"raster\":" + std::to_string(covered ? covered->version() : 0) +
        ",\"refines\":" + (refines ? "true" : "false") + ",\"messages\":[" + messages + "]}");
  }

  /// The bytes of a data file.
  std::optional<std::string> data(std::string_view kind, const std::vector<std::int64_t>& at) {
    if (kind == "progress") return progress();
    if (kind == "columns") return block(model.columns(), at);
    if (kind == "places") return block(places ? &*places : nullptr, at);
    if (!model.labels()) return std::nullopt;
    return kind == "objects" ? object_tile(at) : raster_tile(at);
  }

  pages::page_model model;
  std::optional<pages::tile_reader> covered;
  std::optional<table> places_table;
  std::string note;
  std::optional<pages::column_files> places;
  std::mutex misfit_lock;
  std::string misfit;  ///< how an object differs from its row
};

page_files::page_files(page_content content) : state_(std::make_unique<state>(std::move(content))) {}
page_files::~page_files() = default;

std::optional<page_files::file> page_files::find(std::string_view name) const {
  const auto type = pages::type_of(name);
  for (const auto& asset : pages::assets())
    if (asset.name == name) return file{type, std::string(asset.text), true};
  // Before contents are made: what is coarse must not be taken for what is fine.
  const bool refines = state_->refines();
  if (name == "page/data/meta.js") return file{type, state_->meta(), !refines};
  if (auto tile = state_->image_tile(name)) return tile;
  for (const std::string_view kind : {"columns", "places", "objects", "raster", "progress"}) {
    const auto head = "page/data/" + std::string(kind) + "/";
    const auto numbers = pages::numbers_in(name, head, ".js");
    if (numbers.empty()) continue;
    const auto bytes = state_->data(kind, numbers);
    if (!bytes) return std::nullopt;
    const bool changes = kind == "progress" || (kind == "raster" && refines);
    return file{type, pages::data_text(name.substr(10, name.size() - 10 - 3), *bytes), !changes};
  }
  return std::nullopt;
}

}  // namespace macareu
