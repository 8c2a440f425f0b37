// PNG, JPEG and TIFF through libvips.
#include <array>
#include <charconv>
#include <exception>
#include <mutex>
#include <string>

#include <macareu/error.hpp>

#include "files/format.hpp"
#include "files/jpeg.hpp"
#include "files/pixel_data.hpp"
#include "files/text/text.hpp"
#include "files/vips/vips_library.hpp"

namespace macareu::files {
namespace {

/// Rows for libvips, with the first error of reading them.
struct given_rows {
  const pixel_rows& pixels;
  std::mutex guard = {};
  std::exception_ptr error = {};
};

bool copy_rows(void* given, std::int64_t row, std::int64_t x, std::int64_t count, std::byte* to) noexcept {
  auto& rows = *static_cast<given_rows*>(given);
  try {
    rows.pixels.copy(row, x, count, truth::full, to);
    return true;
  } catch (...) {
    const std::lock_guard lock(rows.guard);
    if (!rows.error) rows.error = std::current_exception();
    return false;
  }
}

void write(const picture_storage& storage, const output& file, const pixel_rows& pixels) {
  const auto& vips = vips_for(file.name());
  const auto& [type, shape, channels, info] = pixels.form();
  picture_form form{.type = type == dtype::boolean ? dtype::u8 : type,
                    .width = shape.width(),
                    .rows = pixels.rows(),
                    .page_height = shape.height(),
                    .channels = channels};
  if (info.spacing) {
    const auto y = static_cast<std::size_t>(shape.rank() - 2);
    form.pixel_height = (*info.spacing)[y];
    form.pixel_width = (*info.spacing)[y + 1];
  }
  if (form.width > vips.largest_size || form.rows > vips.largest_size)
    throw io_error(file.name().string(), to_string(shape) + " is too large for libvips; .npy can hold it");
  given_rows rows{pixels};
  if (vips.write(storage, file.path().c_str(), form, {copy_rows, &rows})) return;
  if (rows.error) std::rethrow_exception(rows.error);
  fail_with_vips(file.path(), file.name());
}

void write_png(output& file, const pixel_rows& pixels, const sink_options&) {
  write({.encoding = picture_encoding::png}, file, pixels);
}

void write_jpeg(output& file, const pixel_rows& pixels, const sink_options&) {
  write({.encoding = picture_encoding::jpeg}, file, pixels);
}

/// libvips keeps a few lines of tiles in memory, so tiles of wide pictures are lower.
int tile_height(std::int64_t row_bytes) {
  constexpr std::int64_t largest_line = std::int64_t{16} << 20;
  int height = 256;
  while (height > 16 && height * row_bytes > largest_line) height /= 2;
  return height;
}

bool is_ome(const std::filesystem::path& file) {
  const auto name = lower(file.filename().string());
  return name.ends_with(".ome.tif") || name.ends_with(".ome.tiff");
}

/// The description of OME-TIFF (https://docs.openmicroscopy.org/ome-model) for an image without slices.
std::string ome_description(const source_form& form) {
  constexpr std::array names{"uint8",  "int8",  "uint8",  "int16", "uint16", "int32",
                             "uint32", "int64", "uint64", "float", "double"};
  const auto& shape = form.shape;
  const auto number = [](double value) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  };
  const auto field = [](const std::string& name, const std::string& value) {
    return " " + name + "=\"" + value + "\"";
  };
  std::string size;
  if (form.info.spacing) {
    const auto& [y, x, unused] = *form.info.spacing;
    size = field("PhysicalSizeX", number(1000 * x)) + field("PhysicalSizeXUnit", "µm") +
           field("PhysicalSizeY", number(1000 * y)) + field("PhysicalSizeYUnit", "µm");
  }
  const auto channels = std::to_string(form.channels);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\">"
         "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYCZT\"" +
         field("Type", names[static_cast<std::size_t>(form.type)]) +
         field("SizeX", std::to_string(shape.width())) + field("SizeY", std::to_string(shape.height())) +
         field("SizeC", channels) + " SizeZ=\"1\" SizeT=\"1\"" + size + "><Channel ID=\"Channel:0:0\"" +
         field("SamplesPerPixel", channels) + "/><TiffData/></Pixels></Image></OME>";
}

void write_tiff(output& file, const pixel_rows& pixels, const sink_options& options) {
  const auto& [type, shape, channels, info] = pixels.form();
  const auto pixel = channels * static_cast<std::int64_t>(size_of(type));
  const auto bytes = shape.pixels() * pixel;
  const bool ome = is_ome(file.name()) && shape.rank() == 2;
  const auto description = ome ? ome_description(pixels.form()) : std::string();
  const bool tiled = options.pyramid || shape.width() * shape.height() > 4096 * 4096;
  write({.encoding = picture_encoding::tiff,
         // Tiles allow partial reads of large pictures.
         .tile_height = tiled ? tile_height(shape.width() * pixel) : 0,
         // 32-bit offsets, less a margin for the padding of tiles, for directories and for smaller levels.
         .big = bytes > (options.pyramid ? 2'000'000'000 : 3'000'000'000),
         .pyramid = options.pyramid,
         .levels_in_memory = options.levels_in_memory,
         .nearest = options.labels || type == dtype::boolean,
         .compress = options.pyramid && options.labels,
         .sub_pages = ome && options.pyramid,
         .description = ome ? description.c_str() : nullptr},
        file, pixels);
}

using enum dtype;

constexpr capacity png{
    .types = set_of(boolean, u8, u16), .channels = channels_in({1, 2, 3, 4}), .largest_rank = 2};
constexpr capacity jpeg{.types = set_of(boolean, u8), .channels = channels_in({1, 3}), .largest_rank = 2};
// libvips writes f64 too, but does not read it.
constexpr capacity tiff{.types = all_types & ~set_of(i64, u64, f64), .pyramids = true};

constexpr format formats[] = {
    {".png", nullptr, write_png, png, false},    {".jpg", nullptr, write_jpeg, jpeg, false},
    {".jpeg", nullptr, write_jpeg, jpeg, false}, {".tif", nullptr, write_tiff, tiff, false},
    {".tiff", nullptr, write_tiff, tiff, false},
};

}  // namespace

std::span<const format> vips_formats() { return formats; }

bool has_jpeg() { return has_vips(); }

std::optional<std::string> jpeg(const const_image_view& pixels, int quality) {
  if (!has_vips()) return std::nullopt;
  const auto& vips = vips_for("JPEG");
  const auto packed = copy_of(pixels);
  const picture_form form{.width = pixels.shape().width(),
                          .rows = pixels.shape().height(),
                          .page_height = pixels.shape().height(),
                          .channels = pixels.channels()};
  std::string file;
  const row_receiver to{[](void* text, const std::byte* bytes, std::size_t size) noexcept {
                          static_cast<std::string*>(text)->assign(reinterpret_cast<const char*>(bytes), size);
                          return true;
                        },
                        &file};
  if (!vips.encode_jpeg(form, static_cast<const std::byte*>(packed.data()), quality, to))
    fail_with_vips("JPEG", "JPEG");
  return file;
}

}  // namespace macareu::files
