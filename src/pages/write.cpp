// Pages as folders and as one text.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/text_file.hpp>

#include "catalogue/lend_threads.hpp"
#include "core/ceil_div.hpp"
#include "files/jpeg.hpp"
#include "files/pending_file.hpp"
#include "model.hpp"
#include "packed.hpp"
#include "places.hpp"

namespace macareu {
namespace pages {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view openseadragon = "page/openseadragon.min.js",
                           openseadragon_licence = "page/openseadragon-license.txt";

/// Takes a file by its name.
using put_file = std::function<void(const std::string& name, std::string_view content)>;

/// Makes all files of a page but index.html and the other assets. `put` is called by several threads, unless
/// the page is compact: its files follow each other in one text.
class builder {
 public:
  builder(page_model& model, const page_options& options, bool compact, put_file put)
      : model_(model),
        options_(options),
        compact_(compact),
        put_(std::move(put)),
        threads_(compact ? 1 : lend_threads(model.shape().pixels(), options.threads).count),
        idle_(threads_ - 1) {}

  void build() {
    const auto& shape = model_.shape();
    const auto tiles_of = [&](std::int64_t side) {
      return ceil_div(shape.height(), side) * ceil_div(shape.width(), side) * shape.depth();
    };
    const auto images = static_cast<std::int64_t>(model_.images().size());
    // An object tile takes about as long as the image tiles that it covers.
    const auto weight = (object_tile_side / tile_side) * (object_tile_side / tile_side);
    total_ = tiles_of(tile_side) * images + (model_.labels() ? tiles_of(object_tile_side) * weight : 0);
    page_model::meta_parts parts;
    for (std::size_t i = 0; i < model_.images().size(); ++i) parts.images.push_back({add_image(i)});
    if (model_.labels()) add_objects(parts, weight);
    if (const auto* columns = model_.columns()) add_columns("columns", *columns);
    std::optional<column_files> places;
    if (places_) parts.places = &places.emplace(*places_);
    if (places) add_columns("places", *places);
    put_("page/data/meta.js", model_.meta(parts));
  }

 private:
  void advance(std::int64_t tiles) {
    if (options_.stop.stop_requested()) throw interrupted();
    const std::lock_guard lock(telling_);
    done_ += tiles;
    if (options_.progress) options_.progress(static_cast<double>(done_) / static_cast<double>(total_));
  }

  /// What `work` returns, on another thread if one is idle.
  template <class Work>
  std::future<std::invoke_result_t<Work>> start(const Work& work) {
    if (--idle_ >= 0)
      return std::async(std::launch::async, [this, work] {
        const idle_again after{idle_};
        return work();
      });
    ++idle_;
    std::packaged_task<std::invoke_result_t<Work>()> now(work);
    now();
    return now.get_future();
  }

  std::string add_image(std::size_t index) {
    auto& reader = model_.images()[index];
    const bool lossy = reader.as_stored() && files::has_jpeg() && !compact_;
    const std::string type = lossy ? "jpg" : "png";
    const auto quality = lossy ? options_.quality : 0;
    const auto& shape = model_.shape();
    const auto write = [&](const tile& made, const tile_place& place) {
      put_(image_tile_name(index, shape, place, type), encoded(made, quality));
    };
    // A tile is made of the four below it, so every pixel is read once.
    const auto make = [&](const auto& self, const tile_place& place) -> tile {
      tile made;
      if (place.halvings == 0) {
        made = reader.read(place);
        advance(1);
      } else {
        const auto width = halved_side(shape.width(), place.halvings - 1),
                   height = halved_side(shape.height(), place.halvings - 1);
        tile four{static_cast<int>(std::min(width - 2 * place.x * tile_side, 2 * tile_side)),
                  static_cast<int>(std::min(height - 2 * place.y * tile_side, 2 * tile_side)),
                  reader.channels()};
        four.pixels.resize(static_cast<std::size_t>(four.width * four.height * four.channels));
        std::array<std::future<tile>, 4> parts;
        for (std::int64_t i = 0; i < 4; ++i) {
          const tile_place below{place.slice, 2 * place.x + i % 2, 2 * place.y + i / 2, place.halvings - 1};
          if (below.x * tile_side >= width || below.y * tile_side >= height) continue;
          parts[static_cast<std::size_t>(i)] = start([&self, below] { return self(self, below); });
        }
        for (std::int64_t v = 0; v < 2; ++v)
          for (std::int64_t u = 0; u < 2; ++u) {
            auto& made_below = parts[static_cast<std::size_t>(2 * v + u)];
            if (!made_below.valid()) continue;
            const auto part = made_below.get();
            const auto row = static_cast<std::size_t>(part.width * part.channels);
            for (int y = 0; y < part.height; ++y)
              std::copy_n(&part.pixels[static_cast<std::size_t>(y) * row], row,
                          &four.pixels[static_cast<std::size_t>(
                              ((v * tile_side + y) * four.width + u * tile_side) * four.channels)]);
          }
        made = halved(four);
      }
      write(made, place);
      return made;
    };
    for (std::int64_t z = 0; z < shape.depth(); ++z) {
      tile_place place{.slice = z, .halvings = halvings_of(shape)};
      auto made = make(make, place);
      if (compact_) continue;
      while (made.width > 1 || made.height > 1) {
        made = halved(made);
        ++place.halvings;
        write(made, place);
      }
      put_("page/data/image-" + std::to_string(index) + "-" + std::to_string(z) + ".dzi",
           "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Image TileSize=\"" + std::to_string(tile_side) +
               "\" Overlap=\"0\" Format=\"" + type +
               "\" xmlns=\"http://schemas.microsoft.com/deepzoom/2008\"><Size Width=\"" +
               std::to_string(shape.width()) + "\" Height=\"" + std::to_string(shape.height()) +
               "\"/></Image>\n");
    }
    return type;
  }

  void add_objects(page_model::meta_parts& parts, std::int64_t weight) {
    std::optional<object_places> places;
    if (model_.rows()) places.emplace(*model_.rows());
    for (std::int64_t z = 0; z < model_.shape().depth(); ++z) {
      covered_area area(model_.shape().height(), model_.shape().width());
      std::mutex reading;
      const auto make = [&, z](std::int64_t i) {
        const auto y = i / model_.object_columns(), x = i % model_.object_columns();
        made_objects made;
        {
          const std::lock_guard lock(reading);
          made.tile = read_object_tile(*model_.labels(), z, y, x);
        }
        made.shapes = shapes_of(made.tile);
        if (!made.shapes.empty())
          add_data("objects", {z, y, x}, packed_shapes(made.shapes, made.tile, model_.rows()));
        return made;
      };
      // Tiles are made by all threads, and counted in their order.
      std::deque<std::future<made_objects>> waiting;
      const auto tiles = model_.object_rows() * model_.object_columns();
      for (std::int64_t next = 0, done = 0; done < tiles; ++done) {
        for (; next < tiles && std::ssize(waiting) < threads_; ++next)
          waiting.push_back(start([&make, next] { return make(next); }));
        const auto [tile, shapes] = waiting.front().get();
        waiting.pop_front();
        parts.counts.push_back(static_cast<std::uint32_t>(shapes.size()));
        if (places) places->add(shapes);
        area.add(tile);
        advance(weight);
      }
      area.finish();
      parts.raster_levels = static_cast<int>(area.levels().size());
      for (std::size_t l = 0; l < area.levels().size(); ++l)
        for (std::int64_t y = 0; y * tile_side < area.levels()[l].height; ++y)
          for (std::int64_t x = 0; x * tile_side < area.levels()[l].width; ++x)
            add_data("raster", {z, static_cast<std::int64_t>(l) + raster_halvings, y, x},
                     covered_area::packed(area.levels()[l], y, x));
    }
    if (!places || model_.shape().depth() > 1) return;
    places_ = places->columns();
    parts.note = misfit();
  }

  /// How a row differs from its object; empty if none does.
  std::string misfit() const {
    const auto& objects = *model_.content().objects;
    const auto& labels = std::ranges::find(objects.columns, "label", &table_column::name)->values;
    const auto told = places_in(objects);
    const auto& sizes = std::get<std::vector<std::int64_t>>(places_->columns[2].values);
    for (std::size_t row = 0; row < sizes.size(); ++row) {
      const auto label =
          std::visit([&](const auto& all) { return static_cast<std::uint64_t>(all[row]); }, labels);
      if (sizes[row] == 0)
        return "The table has a row for object " + std::to_string(label) +
               ", which the label image lacks. Is it the table of another image?";
      if (!told) continue;
      if (auto text = other_size(*told, row, label, sizes[row]); !text.empty()) return text;
    }
    return {};
  }

  void add_columns(std::string_view kind, const column_files& columns) {
    for (std::size_t c = 0; c < columns.count(); ++c)
      for (std::size_t b = 0; b < columns.blocks(); ++b)
        add_data(kind, {static_cast<std::int64_t>(c), static_cast<std::int64_t>(b)}, columns.block(c, b));
  }

  void add_data(std::string_view kind, std::initializer_list<std::int64_t> numbers, std::string_view bytes) {
    const auto name = data_name(kind, numbers);
    put_("page/data/" + name + ".js", data_text(name, bytes));
  }

  struct idle_again {
    std::atomic<int>& idle;
    ~idle_again() { ++idle; }
  };
  struct made_objects {
    object_tile tile;
    std::vector<shape> shapes;
  };

  page_model& model_;
  const page_options& options_;
  bool compact_;
  put_file put_;
  int threads_;
  std::atomic<int> idle_;  // threads that could be started
  std::mutex telling_;
  std::int64_t done_ = 0, total_ = 1;
  std::optional<table> places_;
};

void require_pages() {
  if (const auto missing = missing_for_pages(); !missing.empty()) throw io_error(missing);
}

void write_file(const fs::path& file, std::string_view content) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) throw io_error(file.string(), errno != 0 ? std::strerror(errno) : "cannot be written");
}

std::string without_prefix(std::string_view name) { return std::string(name.substr(name.find('/') + 1)); }

}  // namespace
}  // namespace pages

std::string missing_for_pages() {
  for (const auto& asset : pages::assets())
    if (asset.name == pages::openseadragon) return {};
  return "pages need OpenSeadragon, which this build has not: run scripts/openseadragon.sh, configure and build again";
}

bool is_page(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / "data" / "meta.js", error) ||
         std::filesystem::is_empty(folder, error);
}

void write_page(const std::filesystem::path& folder, const page_content& content,
                const page_options& options) {
  namespace fs = std::filesystem;
  pages::require_pages();
  pages::page_model model(content);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw io_error(folder.string(), error.message());
  files::pending_directory pending(folder / "page", is_page);
  std::mutex making;
  std::set<std::string> made;
  const auto put = [&](const std::string& name, std::string_view text) {
    const auto file = pending.path() / pages::without_prefix(name);
    {
      const std::lock_guard lock(making);
      if (made.insert(file.parent_path().string()).second) fs::create_directories(file.parent_path());
    }
    pages::write_file(file, text);
  };
  pages::builder(model, options, false, put).build();
  std::string_view index;
  for (const auto& [name, text] : pages::assets())
    if (name == "index.html")
      index = text;
    else
      put(std::string(name), text);
  pending.commit();
  text_file page(folder / "index.html");
  page.write(index);
  page.commit();
}

std::string page_text(const page_content& content, const page_options& options) {
  pages::require_pages();
  pages::page_model model(content);
  std::string data, index;
  const auto put = [&](const std::string& name, std::string_view text) {
    if (name.ends_with(".js"))
      data += text;
    else
      data += "macareu.takeImage(" + pages::json_string(name) + ",\"" + pages::base64(text) + "\");\n";
  };
  pages::builder(model, options, true, put).build();
  std::map<std::string_view, std::string_view> assets;
  for (const auto& [name, text] : pages::assets()) assets[name] = text;
  const auto replace = [&](std::string_view head, std::string_view tail, std::string_view open,
                           std::string_view close) {
    for (auto at = index.find(head); at != std::string::npos; at = index.find(head, at + 1)) {
      const auto end = index.find(tail, at);
      const auto name = index.substr(at + head.size(), end - at - head.size());
      const auto found = assets.find(name);
      auto text = found != assets.end() ? std::string(found->second) : data;
      // The folder of a page has this file.
      if (name == pages::openseadragon)
        text = "/*\n" + std::string(assets.at(pages::openseadragon_licence)) + "*/\n" + text;
      index.replace(at, end + tail.size() - at, std::string(open) + text + std::string(close));
    }
  };
  index = assets.at("index.html");
  replace("<link rel=\"stylesheet\" href=\"", "\">", "<style>\n", "</style>");
  replace("<script src=\"", "\"></script>", "<script>\n", "</script>");
  return index;
}

}  // namespace macareu
