// Pictures and whole slides through libvips.
#include "format.hpp"

#ifdef MACAREU_WITH_VIPS

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "pixel_data.hpp"
#include "vips_support.hpp"

namespace macareu::files {
namespace {

/// Null, with the reason in the error buffer of libvips, if it fails. Built directly, not through the cache
/// of operations, which would give the old pixels of a file that has changed.
vips_image open_pages(const char* loader, const std::filesystem::path& file, int first, int count) {
  const std::unique_ptr<VipsOperation, vips_release> operation(vips_operation_new(loader));
  if (!operation) return nullptr;
  g_object_set(operation.get(), "filename", file.c_str(), "access", VIPS_ACCESS_SEQUENTIAL, "fail-on",
               VIPS_FAIL_ON_ERROR, nullptr);
  if (first > 0 || count > 1) g_object_set(operation.get(), "page", first, "n", count, nullptr);
  // A slide has colours only; the opacity is OpenSlide's.
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(operation.get()), "rgb"))
    g_object_set(operation.get(), "rgb", TRUE, nullptr);
  VipsImage* result = nullptr;
  if (vips_object_build(VIPS_OBJECT(operation.get())) == 0)
    g_object_get(operation.get(), "out", &result, nullptr);
  vips_object_unref_outputs(VIPS_OBJECT(operation.get()));
  return vips_image(result);
}

bool alike(VipsImage* a, VipsImage* b) {
  return vips_image_get_width(a) == vips_image_get_width(b) &&
         vips_image_get_page_height(a) == vips_image_get_page_height(b) &&
         vips_image_get_bands(a) == vips_image_get_bands(b) &&
         vips_image_get_format(a) == vips_image_get_format(b);
}

/// The pages of a TIFF file, several under one another in each image, as many as libvips can count rows;
/// nothing if they are not of one size.
std::vector<vips_image> open_equal_pages(const char* loader, const std::filesystem::path& file,
                                         VipsImage* first) {
  const int pages = vips_image_get_n_pages(first);
  const int at_once = std::max(VIPS_MAX_COORD / vips_image_get_height(first), 1);
  std::vector<vips_image> parts;
  for (int page = 0; page < pages; page += at_once) {
    auto part = open_pages(loader, file, page, std::min(at_once, pages - page));
    if (!part || !alike(part.get(), first)) return {};
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<vips_image> open_picture(const std::filesystem::path& path) {
  const char* loader = vips_foreign_find_load(path.c_str());
  // libvips takes a file cut short for one with fewer pages. Slides have directories of their own kinds.
  input file(path);
  const bool slide = loader && std::string_view(loader).starts_with("VipsForeignLoadOpenslide");
  const auto pages = slide ? 0 : count_tiff_directories(file);
  std::vector<vips_image> parts;
  if (loader) parts.push_back(open_pages(loader, path, 0, 1));
  if (!loader || !parts[0]) fail_with_vips(path, path);
  if (!std::string_view(loader).starts_with("VipsForeignLoadTiff") || pages < 2) return parts;
  const int readable = vips_image_get_n_pages(parts[0].get());
  if (pages > static_cast<std::uint64_t>(readable))
    file.fail("the file has " + std::to_string(pages) + " pages, of which libvips reads " +
              std::to_string(readable));
  auto all = open_equal_pages(loader, path, parts[0].get());
  // Pages of several sizes are the levels of a pyramid: the first is the image.
  return all.empty() ? std::move(parts) : std::move(all);
}

pixel_layout layout_of(const std::vector<vips_image>& parts, const std::filesystem::path& path) {
  const input file(path);
  auto* first = parts[0].get();
  const auto* type =
      std::ranges::find(vips_types, vips_image_get_format(first), &std::pair<VipsBandFormat, dtype>::first);
  if (type == std::end(vips_types) || vips_image_get_coding(first) != VIPS_CODING_NONE)
    file.fail("the picture has complex or specially coded pixels, which cannot be read");
  const std::int64_t width = vips_image_get_width(first);
  const std::int64_t height = vips_image_get_page_height(first);
  const std::int64_t channels = vips_image_get_bands(first);
  std::int64_t rows = 0;
  for (const auto& part : parts) rows += vips_image_get_height(part.get());
  return height < rows
             ? checked_layout(file, 0, type->second, std::array{rows / height, height, width}, channels, 1)
             : checked_layout(file, 0, type->second, std::array{rows, width}, channels, 1);
}

struct destination {
  image pixels;
  std::int64_t first_row = 0;
};

/// Called for one band of rows after the other, from the top: no second copy of the picture is ever there.
int store_rows(VipsRegion* region, VipsRect* area, void* to) {
  auto& [pixels, first_row] = *static_cast<destination*>(to);
  const auto pixel_size = static_cast<std::int64_t>(size_of(pixels.type())) * pixels.channels();
  for (int y = area->top; y < area->top + area->height; ++y) {
    const auto at = ((first_row + y) * pixels.shape().width() + area->left) * pixel_size;
    std::memcpy(static_cast<std::byte*>(pixels.data()) + at, VIPS_REGION_ADDR(region, area->left, y),
                static_cast<std::size_t>(area->width * pixel_size));
  }
  return 0;
}

template <class Test>
bool all_pixels(const image& pixels, Test test) {
  const auto step = size_of(pixels.type()) * static_cast<std::size_t>(pixels.channels());
  const auto* next = static_cast<const std::byte*>(pixels.data());
  for (const auto* end = next + pixels.bytes(); next < end; next += step)
    if (!test(next)) return false;
  return true;
}

/// Whether all channels but the first say nothing: a grey picture with full opacity, or one stored as three
/// equal channels.
bool is_grey(const image& pixels, VipsInterpretation tag) {
  const auto size = size_of(pixels.type());
  const bool has_opaque_value = pixels.type() == dtype::u8 || pixels.type() == dtype::u16;
  if (pixels.channels() == 2 && has_opaque_value)
    return all_pixels(pixels, [=](const std::byte* p) {
      return std::all_of(p + size, p + 2 * size, [](std::byte b) { return b == std::byte{255}; });
    });
  if (pixels.channels() == 3 && (tag == VIPS_INTERPRETATION_B_W || tag == VIPS_INTERPRETATION_GREY16))
    return all_pixels(pixels, [=](const std::byte* p) { return std::memcmp(p, p + size, 2 * size) == 0; });
  return false;
}

}  // namespace

image_file read_with_vips(const std::filesystem::path& path) {
  start_vips();
  const auto parts = open_picture(path);
  destination to{allocate(path, layout_of(parts, path))};
  for (const auto& part : parts) {
    if (vips_sink_disc(part.get(), store_rows, &to) != 0) fail_with_vips(path, path);
    to.first_row += vips_image_get_height(part.get());
  }
  if (is_grey(to.pixels, vips_image_get_interpretation(parts[0].get()))) {
    const image_view all = to.pixels;
    to.pixels = copy_of(all.channel(0));
  }
  return {std::move(to.pixels), {}};
}

}  // namespace macareu::files

#else

namespace macareu::files {

image_file read_with_vips(const std::filesystem::path& path) {
  input(path).fail("this is no built-in format, and this build has no libvips to read others");
}

}  // namespace macareu::files

#endif
