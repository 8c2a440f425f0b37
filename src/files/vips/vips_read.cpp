// Pictures and whole slides through libvips.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "files/format.hpp"
#include "files/no_such_level.hpp"
#include "files/pixel_data.hpp"
#include "files/regions/random_file.hpp"
#include "files/regions/stored_source.hpp"
#include "files/vips/vips_library.hpp"

namespace macareu::files {
namespace {

using open_picture = std::unique_ptr<picture, decltype(vips_module::close)>;

/// A file that libvips recognises.
class picture_file {
 public:
  picture_file(const std::filesystem::path& path, int level) : vips_(vips_for(path)), path_(path) {
    loader_ = vips_.loader_of(path.c_str());
    // libvips reads a truncated file as one with fewer pages. Slides have directories of their own kinds.
    input file(path);
    slide_ = loader_ && std::string_view(loader_).starts_with("VipsForeignLoadOpenslide");
    if (!slide_) directories_ = read_tiff_directories(file);
    auto first = loader_ ? open({}) : nothing();
    if (!loader_ || !first) fail_with_vips(path, path);
    first_ = describe(first);
    const bool tiff = std::string_view(loader_).starts_with("VipsForeignLoadTiff");
    if (!tiff) directories_.clear();
    if (directories_.size() > static_cast<std::size_t>(first_.pages))
      file.fail("the file has " + std::to_string(directories_.size()) + " pages, of which libvips reads " +
                std::to_string(first_.pages));
    if (directories_.size() > 1) parts_ = open_equal_pages();
    // Pages of different sizes are the levels of a pyramid, as are images inside a page.
    const auto inside = directories_.size() == 1 ? directories_[0].sub_pages : 0;
    const auto levels = slide_           ? std::max(first_.levels, 1)
                        : inside > 0     ? 1 + inside
                        : parts_.empty() ? std::max(directory_count(), 1)
                                         : 1;
    if (level < 0 || level >= levels) throw no_such_level(path, level, static_cast<std::size_t>(levels));
    if (parts_.empty()) {
      if (slide_)
        request_.level = level;
      else if (inside > 0)
        request_.sub_page = level - 1;
      else
        request_.first_page = level;
      parts_.push_back(level == 0 ? std::move(first) : open(request_));
      if (!parts_[0]) fail_with_vips(path, path);
      first_ = describe(parts_[0]);
    }
    for (const auto& part : parts_) rows_ += describe(part).form.rows;
  }

  const vips_module& vips() const { return vips_; }
  const std::filesystem::path& path() const { return path_; }
  /// The first page of the image.
  const picture_facts& first() const { return first_; }
  /// Rows of all pages.
  std::int64_t rows() const { return rows_; }
  /// The image, in parts of as many rows as libvips can count.
  const std::vector<open_picture>& parts() const { return parts_; }

  /// The tiles that boxes are cheap to read in; nothing if the file must be decoded from its start.
  std::optional<tiff_tiles> tiles() const {
    tiff_tiles tiles{first_.tile_width, first_.tile_height};
    const auto page = static_cast<std::size_t>(request_.first_page);
    if (page < directories_.size()) tiles = directories_[page];
    const bool known = tiles.width > 0 && tiles.height > 0;
    if (!known && !slide_) return std::nullopt;
    if (!known) tiles = {256, 256};
    return tiff_tiles{std::min(tiles.width, first_.form.width),
                      std::min(tiles.height, first_.form.page_height)};
  }
  /// Opens a page, or the slide, for reading boxes.
  open_picture open_random(int page) const {
    auto request = request_;
    request.first_page += page;
    request.random = true;
    auto opened = open(request);
    if (!opened) fail_with_vips(path_, path_);
    return opened;
  }

  /// Gives back what reading in parts needs.
  void close_parts() { parts_.clear(); }

 private:
  open_picture nothing() const { return {nullptr, vips_.close}; }
  open_picture open(const picture_request& request) const {
    return {vips_.open(loader_, path_.c_str(), request), vips_.close};
  }
  picture_facts describe(const open_picture& opened) const { return vips_.describe(opened.get()); }
  int directory_count() const { return static_cast<int>(directories_.size()); }

  /// The pages of a TIFF file, stacked. Nothing if they differ in size.
  std::vector<open_picture> open_equal_pages() const {
    const auto alike = [&](const picture_facts& facts) {
      return facts.form.width == first_.form.width && facts.form.page_height == first_.form.page_height &&
             facts.form.channels == first_.form.channels && facts.form.type == first_.form.type &&
             facts.plain == first_.plain;
    };
    const int at_once = std::max(static_cast<int>(vips_.largest_size / first_.form.rows), 1);
    std::vector<open_picture> parts;
    for (int page = 0; page < first_.pages; page += at_once) {
      auto part = open({.first_page = page, .pages = std::min(at_once, first_.pages - page)});
      if (!part || !alike(describe(part))) return {};
      parts.push_back(std::move(part));
    }
    return parts;
  }

  const vips_module& vips_;
  std::filesystem::path path_;
  const char* loader_ = nullptr;
  bool slide_ = false;
  std::vector<tiff_tiles> directories_;
  picture_request request_;
  picture_facts first_;
  std::vector<open_picture> parts_;
  std::int64_t rows_ = 0;
};

pixel_layout layout_of(const picture_file& picture) {
  const input file(picture.path());
  if (!picture.first().plain)
    file.fail("the picture has complex or specially coded pixels, which cannot be read");
  const auto rows = picture.rows();
  const auto& form = picture.first().form;
  const auto height = form.page_height;
  return height < rows ? checked_layout(file, 0, form.type, std::array{rows / height, height, form.width},
                                        form.channels, 1)
                       : checked_layout(file, 0, form.type, std::array{rows, form.width}, form.channels, 1);
}

metadata info_of(const picture_file& picture) {
  const auto& form = picture.first().form;
  const std::array x_first{form.pixel_width, form.pixel_height, 1.0};
  return {spacing_from(std::span(x_first).first(form.page_height < picture.rows() ? 3 : 2))};
}

/// Whether all channels but the first are redundant: a grey picture with full opacity, or three equal
/// channels.
class grey_test {
 public:
  grey_test(const pixel_layout& layout, bool tagged)
      : size_(size_of(layout.type)), channels_(layout.channels) {
    const bool has_opaque_value = layout.type == dtype::u8 || layout.type == dtype::u16;
    grey_ = (channels_ == 2 && has_opaque_value) || (channels_ == 3 && tagged);
  }
  bool grey() const { return grey_; }
  void look_at(std::span<const std::byte> pixels) {
    const auto step = size_ * static_cast<std::size_t>(channels_);
    for (; grey_ && !pixels.empty(); pixels = pixels.subspan(step)) {
      const auto* p = pixels.data();
      grey_ = channels_ == 3
                  ? std::memcmp(p, p + size_, 2 * size_) == 0
                  : std::all_of(p + size_, p + 2 * size_, [](std::byte b) { return b == std::byte{255}; });
    }
  }

 private:
  std::size_t size_;
  int channels_;
  bool grey_;
};

/// Passes rows on, and keeps the error of that.
struct row_taker {
  const take_pixels& take;
  std::exception_ptr error = {};
};

bool take_row(void* to, const std::byte* row, std::size_t bytes) noexcept {
  auto& [take, error] = *static_cast<row_taker*>(to);
  try {
    take({row, bytes});
    return true;
  } catch (...) {
    error = std::current_exception();
    return false;
  }
}

/// Decodes all pages.
void decode(const picture_file& picture, const take_pixels& take) {
  row_taker taker{take};
  for (const auto& part : picture.parts())
    if (!picture.vips().read(part.get(), {take_row, &taker})) {
      if (taker.error) std::rethrow_exception(taker.error);
      fail_with_vips(picture.path(), picture.path());
    }
}

/// A picture in tiles. libvips and OpenSlide keep tiles of two or more lines of the whole picture, however
/// wide; opening the file anew drops them.
class tiled_source final : public image_source {
 public:
  tiled_source(picture_file picture, const pixel_layout& layout, const tiff_tiles& tiles)
      : picture_(std::move(picture)),
        file_(random_file::open(picture_.path(), picture_.path())),
        form_{layout.type, layout.shape, layout.channels, info_of(picture_)},
        tiles_(tiles) {}

  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return {1, tiles_.height, tiles_.width}; }

  void read(const image_region& from, void* to) override {
    require_inside(from, form_.shape);
    file_.require_unchanged();
    const auto pixel = size_of(form_.type) * static_cast<std::size_t>(form_.channels);
    const auto row = pixel * static_cast<std::size_t>(from.size[2]);
    auto* slice = static_cast<std::byte*>(to);
    const auto end_y = from.first[1] + from.size[1], end_x = from.first[2] + from.size[2];
    for (std::int64_t z = 0; z < from.size[0]; ++z, slice += row * static_cast<std::size_t>(from.size[1]))
      for (auto y = from.first[1]; y < end_y; y = next(y, tiles_.height, end_y))
        for (auto x = from.first[2]; x < end_x; x = next(x, tiles_.width, end_x)) {
          auto* first = slice + static_cast<std::size_t>(y - from.first[1]) * row +
                        static_cast<std::size_t>(x - from.first[2]) * pixel;
          const picture_box box{x, y, next(x, tiles_.width, end_x) - x, next(y, tiles_.height, end_y) - y};
          if (!picture_.vips().read_box(page(from.first[0] + z), box, first, row)) {
            opened_.reset();  // libvips keeps a damaged tile as zeros, and gives it the next time
            fail_with_vips(picture_.path(), picture_.path());
          }
        }
  }

  std::string identity() const override {
    return file_.identity() + "; " + std::string(name_of(form_.type)) + " " + to_string(form_.shape) + " x " +
           std::to_string(form_.channels);
  }

 private:
  /// The end of the tile that contains `at`, or of the region.
  static std::int64_t next(std::int64_t at, std::int64_t tile, std::int64_t end) {
    return std::min((at / tile + 1) * tile, end);
  }

  /// The page, opened so that another tile can be read.
  picture* page(std::int64_t number) {
    constexpr std::size_t largest_cache = std::size_t{16} << 20;
    const auto tile =
        static_cast<std::size_t>(tiles_.width * tiles_.height * form_.channels) * size_of(form_.type);
    if (!opened_ || number != page_ || cached_ + tile > largest_cache) {
      opened_.reset();
      file_.require_unchanged_at(picture_.path());
      opened_ = picture_.open_random(static_cast<int>(number));
      page_ = number;
      cached_ = 0;
    }
    cached_ += tile;
    return opened_.get();
  }

  picture_file picture_;
  random_file file_;
  source_form form_;
  tiff_tiles tiles_;
  open_picture opened_{nullptr, nullptr};
  std::int64_t page_ = 0;
  /// Bytes of tiles that were read since the file was opened.
  std::size_t cached_ = 0;
};

}  // namespace

image_file read_with_vips(const std::filesystem::path& path, const read_options& options) {
  const picture_file picture(path, options.level);
  const auto layout = layout_of(picture);
  auto pixels = allocate(path, layout);
  grey_test test(layout, picture.first().grey);
  auto* to = static_cast<std::byte*>(pixels.data());
  decode(picture, [&](std::span<const std::byte> row) {
    std::memcpy(to, row.data(), row.size());
    to += row.size();
    test.look_at(row);
  });
  if (test.grey()) {
    const image_view all = pixels;
    pixels = copy_of(all.channel(0));
  }
  return {std::move(pixels), info_of(picture)};
}

decoded_picture decode_with_vips(const std::filesystem::path& path, const read_options& options,
                                 const take_pixels& take) {
  const picture_file picture(path, options.level);
  const auto layout = layout_of(picture);
  grey_test test(layout, picture.first().grey);
  decode(picture, [&](std::span<const std::byte> row) {
    test.look_at(row);
    take(row);
  });
  return {{layout.type, layout.shape, layout.channels, info_of(picture)}, test.grey()};
}

std::unique_ptr<image_source> open_with_vips(const std::filesystem::path& path, const read_options& options) {
  picture_file picture(path, options.level);
  const auto layout = layout_of(picture);
  const auto tiles = picture.tiles();
  // Whether a picture is grey is known when all its pixels were seen.
  if (!tiles || grey_test(layout, picture.first().grey).grey()) return nullptr;
  picture.close_parts();
  return std::make_unique<tiled_source>(std::move(picture), layout, *tiles);
}

}  // namespace macareu::files
