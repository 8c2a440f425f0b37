#include "pairs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

namespace macareu::bench {
namespace {

/// The .npy file, or the published JPEG if this build reads JPEG. Empty if there is none. A build reads JPEG
/// if it writes it.
std::filesystem::path published_file(const options& chosen, const std::string& which) {
  const auto formats = writable_extensions();
  for (const std::string extension : {".npy", ".jpg"}) {
    auto file = chosen.data / ("tissue-50-" + which + extension);
    if (std::ranges::find(formats, extension) != formats.end() && std::filesystem::exists(file)) return file;
  }
  return {};
}

template <class T>
image converted_to(const image& from) {
  image to(dtype_of<T>, from.shape());
  std::ranges::copy(from.pixels<std::uint8_t>(), to.pixels<T>().begin());
  return to;
}

}  // namespace

pair generated_pair(std::string_view name, const extents& shape, const generate_options& how) {
  auto made = generate(name, shape, how);
  return {std::move(made.marker.value()), std::move(made.mask)};
}

bool has_published_pair(const options& chosen) {
  return !chosen.quick && !published_file(chosen, "marker").empty() &&
         !published_file(chosen, "mask").empty();
}

/// JPEG noise raises the marker above the mask in some pixels.
pair published_pair(const options& chosen) {
  pair both{read_image(published_file(chosen, "marker")).pixels,
            read_image(published_file(chosen, "mask")).pixels};
  const auto marker = both.marker.pixels<std::uint8_t>();
  const auto mask = both.mask.pixels<std::uint8_t>();
  if (both.marker.shape() != both.mask.shape() || both.marker.channels() != 1 || both.mask.channels() != 1)
    throw usage_error(chosen.data.string() + ": marker and mask must be grey and have one shape");
  std::ranges::transform(marker, mask, marker.begin(),
                         [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); });
  return both;
}

image converted(const image& from, dtype type) {
  if (type == dtype::u8) return converted_to<std::uint8_t>(from);
  return type == dtype::u16 ? converted_to<std::uint16_t>(from) : converted_to<float>(from);
}

}  // namespace macareu::bench
