// Pictures and whole slides through libvips.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "format.hpp"
#include "pixel_data.hpp"
#include "vips_library.hpp"

namespace macareu::files {
namespace {

using open_picture = std::unique_ptr<picture, decltype(vips_module::close)>;

/// Null on failure, with the reason in the error buffer of libvips.
open_picture open_pages(const vips_module& vips, const char* loader, const std::filesystem::path& file,
                        int first, int count) {
  return {vips.open(loader, file.c_str(), first, count), vips.close};
}

bool alike(const picture_facts& a, const picture_facts& b) {
  return a.form.width == b.form.width && a.form.page_height == b.form.page_height &&
         a.form.channels == b.form.channels && a.form.type == b.form.type && a.plain == b.plain;
}

/// The pages of a TIFF file, stacked in pictures of as many rows as libvips can count. Nothing if they differ
/// in size.
std::vector<open_picture> open_equal_pages(const vips_module& vips, const char* loader,
                                           const std::filesystem::path& file, const picture_facts& first) {
  const int at_once = std::max(static_cast<int>(vips.largest_size / first.form.rows), 1);
  std::vector<open_picture> parts;
  for (int page = 0; page < first.pages; page += at_once) {
    auto part = open_pages(vips, loader, file, page, std::min(at_once, first.pages - page));
    if (!part || !alike(vips.describe(part.get()), first)) return {};
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<open_picture> open_all(const vips_module& vips, const std::filesystem::path& path) {
  const char* loader = vips.loader_of(path.c_str());
  // libvips reads a truncated file as one with fewer pages. Slides have directories of their own kinds.
  input file(path);
  const bool slide = loader && std::string_view(loader).starts_with("VipsForeignLoadOpenslide");
  const auto pages = slide ? 0 : count_tiff_directories(file);
  std::vector<open_picture> parts;
  if (loader) parts.push_back(open_pages(vips, loader, path, 0, 1));
  if (!loader || !parts[0]) fail_with_vips(path, path);
  if (!std::string_view(loader).starts_with("VipsForeignLoadTiff") || pages < 2) return parts;
  const auto first = vips.describe(parts[0].get());
  if (pages > static_cast<std::uint64_t>(first.pages))
    file.fail("the file has " + std::to_string(pages) + " pages, of which libvips reads " +
              std::to_string(first.pages));
  auto all = open_equal_pages(vips, loader, path, first);
  // Pages of different sizes are the levels of a pyramid: the first is the image.
  return all.empty() ? std::move(parts) : std::move(all);
}

pixel_layout layout_of(const picture_facts& first, std::int64_t rows, const std::filesystem::path& path) {
  const input file(path);
  if (!first.plain) file.fail("the picture has complex or specially coded pixels, which cannot be read");
  const auto& [type, width, ignored, height, channels] = first.form;
  return height < rows ? checked_layout(file, 0, type, std::array{rows / height, height, width}, channels, 1)
                       : checked_layout(file, 0, type, std::array{rows, width}, channels, 1);
}

template <class Test>
bool all_pixels(const image& pixels, Test test) {
  const auto step = size_of(pixels.type()) * static_cast<std::size_t>(pixels.channels());
  const auto* next = static_cast<const std::byte*>(pixels.data());
  for (const auto* end = next + pixels.bytes(); next < end; next += step)
    if (!test(next)) return false;
  return true;
}

/// Whether all channels but the first are redundant: a grey picture with full opacity, or three equal
/// channels.
bool is_grey(const image& pixels, bool tagged) {
  const auto size = size_of(pixels.type());
  const bool has_opaque_value = pixels.type() == dtype::u8 || pixels.type() == dtype::u16;
  if (pixels.channels() == 2 && has_opaque_value)
    return all_pixels(pixels, [=](const std::byte* p) {
      return std::all_of(p + size, p + 2 * size, [](std::byte b) { return b == std::byte{255}; });
    });
  if (pixels.channels() == 3 && tagged)
    return all_pixels(pixels, [=](const std::byte* p) { return std::memcmp(p, p + size, 2 * size) == 0; });
  return false;
}

}  // namespace

image_file read_with_vips(const std::filesystem::path& path) {
  const auto& vips = vips_for(path);
  const auto parts = open_all(vips, path);
  const auto first = vips.describe(parts[0].get());
  std::int64_t rows = 0;
  for (const auto& part : parts) rows += vips.describe(part.get()).form.rows;
  auto pixels = allocate(path, layout_of(first, rows, path));
  auto* to = static_cast<std::byte*>(pixels.data());
  const auto row_size = pixels.bytes() / static_cast<std::size_t>(rows);
  for (const auto& part : parts) {
    if (!vips.read(part.get(), to)) fail_with_vips(path, path);
    to += static_cast<std::size_t>(vips.describe(part.get()).form.rows) * row_size;
  }
  if (is_grey(pixels, first.grey)) {
    const image_view all = pixels;
    pixels = copy_of(all.channel(0));
  }
  return {std::move(pixels), {}};
}

}  // namespace macareu::files
