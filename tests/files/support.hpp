// What the tests of files share: a directory of their own, bytes, images with telling values.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

#include "support/same.hpp"
#include "support/types.hpp"

namespace macareu::test {

/// A directory for this process, removed at its end.
const std::filesystem::path& directory();
/// Names in it.
std::vector<std::string> listing();

/// A path where no file is. Overwriting one costs some file systems a flush each time.
std::filesystem::path fresh(const std::string& name);
std::filesystem::path save(const std::string& name, std::string_view bytes);
std::string load(const std::filesystem::path& file);
/// The bytes of "50 35 0a"; anything but hexadecimal digits separates.
std::string from_hex(std::string_view digits);

/// Values that use the whole range of the type, different in every pixel and channel of a small image.
image sample(dtype type, const extents& shape, int channels = 1);
/// The image as a file without bool holds it.
image without_bool(const image& pixels, std::uint8_t truth);
void expect_same(const image& got, const image& expected);

template <class T>
std::vector<T> values(const image& pixels) {
  const auto span = pixels.pixels<T>();
  return {span.begin(), span.end()};
}

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

inline bool writes(std::string_view extension) {
  const auto all = writable_extensions();
  return std::ranges::find(all, extension) != all.end();
}
inline bool has_vips() { return writes(".png"); }

}  // namespace macareu::test
