// PNG, JPEG and TIFF through libvips.
#include "format.hpp"

#ifdef MACAREU_WITH_VIPS

#include <algorithm>

#include <macareu/error.hpp>

#include "pixel_data.hpp"
#include "vips_support.hpp"

namespace macareu::files {
namespace {

/// Rows of a view, as libvips asks for them.
int give_rows(VipsRegion* region, void*, void* source, void*, gboolean*) {
  const auto& area = region->valid;
  for (int y = area.top; y < area.top + area.height; ++y)
    copy_row(*static_cast<const const_image_view*>(source), y, area.left, area.width, truth::full,
             reinterpret_cast<std::byte*>(VIPS_REGION_ADDR(region, area.left, y)));
  return 0;
}

VipsInterpretation interpretation_of(const const_image_view& pixels) {
  const bool wide = pixels.type() == dtype::u16;
  if (pixels.channels() < 3) return wide ? VIPS_INTERPRETATION_GREY16 : VIPS_INTERPRETATION_B_W;
  if (pixels.channels() > 4 || size_of(pixels.type()) > 2) return VIPS_INTERPRETATION_MULTIBAND;
  return wide ? VIPS_INTERPRETATION_RGB16 : VIPS_INTERPRETATION_sRGB;
}

/// The view as an image of libvips, slices one under the other. It must not outlive the view.
vips_image wrapped(const output& file, const const_image_view& pixels) {
  const auto& shape = pixels.shape();
  if (shape.width() > VIPS_MAX_COORD || shape.height() * shape.depth() > VIPS_MAX_COORD)
    throw io_error(file.name().string() + ": " + to_string(shape) +
                   " is too large for libvips; .npy can hold it");
  const auto type = pixels.type() == dtype::boolean ? dtype::u8 : pixels.type();
  const auto* found = std::ranges::find(vips_types, type, &std::pair<VipsBandFormat, dtype>::second);
  vips_image result(vips_image_new());
  vips_image_init_fields(result.get(), static_cast<int>(shape.width()),
                         static_cast<int>(shape.height() * shape.depth()), pixels.channels(), found->first,
                         VIPS_CODING_NONE, interpretation_of(pixels), 1, 1);
  if (shape.rank() == 3)
    vips_image_set_int(result.get(), VIPS_META_PAGE_HEIGHT, static_cast<int>(shape.height()));
  auto* source = const_cast<const_image_view*>(&pixels);
  if (vips_image_pipelinev(result.get(), VIPS_DEMAND_STYLE_THINSTRIP, nullptr) != 0 ||
      vips_image_generate(result.get(), nullptr, give_rows, nullptr, source, nullptr) != 0)
    fail_with_vips(file.path(), file.name());
  return result;
}

void write_png(output& file, const const_image_view& pixels, const metadata&) {
  start_vips();
  if (vips_pngsave(wrapped(file, pixels).get(), file.path().c_str(), nullptr) != 0)
    fail_with_vips(file.path(), file.name());
}

void write_jpeg(output& file, const const_image_view& pixels, const metadata&) {
  start_vips();
  if (vips_jpegsave(wrapped(file, pixels).get(), file.path().c_str(), "Q", 95, nullptr) != 0)
    fail_with_vips(file.path(), file.name());
}

void write_tiff(output& file, const const_image_view& pixels, const metadata&) {
  start_vips();
  const auto& shape = pixels.shape();
  const auto bytes = shape.pixels() * pixels.channels() * static_cast<std::int64_t>(size_of(pixels.type()));
  // A reader of a part should not have to read whole rows of a large picture.
  const gboolean tiled = shape.width() * shape.height() > 4096 * 4096;
  // Offsets of 32 bits, less a margin for the padding of tiles and for directories.
  const gboolean big = bytes > 3'000'000'000;
  if (vips_tiffsave(wrapped(file, pixels).get(), file.path().c_str(), "tile", tiled, "tile_width", 256,
                    "tile_height", 256, "bigtiff", big, nullptr) != 0)
    fail_with_vips(file.path(), file.name());
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

#else

namespace macareu::files {

std::span<const format> vips_formats() { return {}; }

}  // namespace macareu::files

#endif
