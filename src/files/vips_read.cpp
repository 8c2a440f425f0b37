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

/// Decodes all pages. `begin` gets the layout before the first row.
template <class Begin>
void decode(const std::filesystem::path& path, Begin begin, const take_pixels& take) {
  const auto& vips = vips_for(path);
  const auto parts = open_all(vips, path);
  const auto first = vips.describe(parts[0].get());
  std::int64_t rows = 0;
  for (const auto& part : parts) rows += vips.describe(part.get()).form.rows;
  begin(layout_of(first, rows, path), first.grey);
  row_taker taker{take};
  for (const auto& part : parts)
    if (!vips.read(part.get(), {take_row, &taker})) {
      if (taker.error) std::rethrow_exception(taker.error);
      fail_with_vips(path, path);
    }
}

}  // namespace

image_file read_with_vips(const std::filesystem::path& path) {
  image pixels;
  std::optional<grey_test> test;
  std::byte* to = nullptr;
  decode(
      path,
      [&](const pixel_layout& layout, bool tagged) {
        pixels = allocate(path, layout);
        to = static_cast<std::byte*>(pixels.data());
        test.emplace(layout, tagged);
      },
      [&](std::span<const std::byte> row) {
        std::memcpy(to, row.data(), row.size());
        to += row.size();
        test->look_at(row);
      });
  if (test->grey()) {
    const image_view all = pixels;
    pixels = copy_of(all.channel(0));
  }
  return {std::move(pixels), {}};
}

decoded_picture decode_with_vips(const std::filesystem::path& path, const take_pixels& take) {
  decoded_picture decoded;
  std::optional<grey_test> test;
  decode(
      path,
      [&](const pixel_layout& layout, bool tagged) {
        decoded.form = {layout.type, layout.shape, layout.channels};
        test.emplace(layout, tagged);
      },
      [&](std::span<const std::byte> row) {
        test->look_at(row);
        take(row);
      });
  decoded.grey = test->grey();
  return decoded;
}

}  // namespace macareu::files
