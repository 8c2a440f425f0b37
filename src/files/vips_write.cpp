// PNG, JPEG and TIFF through libvips.
#include <exception>

#include <macareu/error.hpp>

#include "format.hpp"
#include "pixel_data.hpp"
#include "vips_library.hpp"

namespace macareu::files {
namespace {

/// Rows for libvips, with the error of reading them.
struct given_rows {
  const pixel_rows& pixels;
  std::exception_ptr error = {};
};

bool copy_rows(void* given, std::int64_t row, std::int64_t x, std::int64_t count, std::byte* to) noexcept {
  auto& [pixels, error] = *static_cast<given_rows*>(given);
  try {
    pixels.copy(row, x, count, truth::full, to);
    return true;
  } catch (...) {
    error = std::current_exception();
    return false;
  }
}

void write(picture_encoding encoding, const output& file, const pixel_rows& pixels, bool tiled = false,
           bool big = false) {
  const auto& vips = vips_for(file.name());
  const auto& shape = pixels.form().shape;
  const auto type = pixels.form().type;
  const picture_form form{.type = type == dtype::boolean ? dtype::u8 : type,
                          .width = shape.width(),
                          .rows = pixels.rows(),
                          .page_height = shape.height(),
                          .channels = pixels.form().channels};
  if (form.width > vips.largest_size || form.rows > vips.largest_size)
    throw io_error(file.name().string() + ": " + to_string(shape) +
                   " is too large for libvips; .npy can hold it");
  given_rows rows{pixels};
  if (vips.write(encoding, file.path().c_str(), form, {copy_rows, &rows}, tiled, big)) return;
  if (rows.error) std::rethrow_exception(rows.error);
  fail_with_vips(file.path(), file.name());
}

void write_png(output& file, const pixel_rows& pixels) { write(picture_encoding::png, file, pixels); }

void write_jpeg(output& file, const pixel_rows& pixels) { write(picture_encoding::jpeg, file, pixels); }

void write_tiff(output& file, const pixel_rows& pixels) {
  const auto& [type, shape, channels, info] = pixels.form();
  const auto bytes = shape.pixels() * channels * static_cast<std::int64_t>(size_of(type));
  // Tiles allow partial reads of large pictures.
  const bool tiled = shape.width() * shape.height() > 4096 * 4096;
  // 32-bit offsets, less a margin for the padding of tiles and for directories.
  const bool big = bytes > 3'000'000'000;
  write(picture_encoding::tiff, file, pixels, tiled, big);
}

using enum dtype;

constexpr capacity png{
    .types = set_of(boolean, u8, u16), .channels = channels_in({1, 2, 3, 4}), .largest_rank = 2};
constexpr capacity jpeg{.types = set_of(boolean, u8), .channels = channels_in({1, 3}), .largest_rank = 2};
// libvips writes f64 too, but does not read it.
constexpr capacity tiff{.types = all_types & ~set_of(i64, u64, f64)};

constexpr format formats[] = {
    {".png", nullptr, write_png, png, false},    {".jpg", nullptr, write_jpeg, jpeg, false},
    {".jpeg", nullptr, write_jpeg, jpeg, false}, {".tif", nullptr, write_tiff, tiff, false},
    {".tiff", nullptr, write_tiff, tiff, false},
};

}  // namespace

std::span<const format> vips_formats() { return formats; }

}  // namespace macareu::files
