#include "outputs.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <macareu/error.hpp>
#include <macareu/files.hpp>

#include "text.hpp"

namespace macareu::tool {

namespace fs = std::filesystem;

namespace {

void check_place(const fs::path& file) {
  if (file.empty()) throw usage_error("an output file needs a name");
  const auto directory = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(directory, error))
    throw io_error(file.string(), "there is no directory " + directory.string());
}

void check_no_directory(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) throw io_error(file.string(), "is a directory");
}

/// A Zarr image is a directory, which a new one replaces. Others are refused when it is created.
bool is_zarr(const fs::path& file) {
  return lower((file.has_filename() ? file : file.parent_path()).extension().string()) == ".zarr";
}

}  // namespace

void check_text_output(const fs::path& file) {
  check_place(file);
  check_no_directory(file);
}

void check_image_output(const fs::path& file) {
  check_place(file);
  if (!is_zarr(file)) check_no_directory(file);
  check_writable(file);
}

void check_distinct(const std::vector<std::string>& files) {
  for (auto file = files.begin(); file != files.end(); ++file)
    if (std::any_of(files.begin(), file, [&](const auto& other) { return same_file(*file, other); }))
      throw usage_error(*file + " is named for two outputs: give each a name of its own");
}

void check_no_input(const std::vector<std::string>& written, const std::vector<std::string>& inputs) {
  for (const auto& file : written)
    if (std::ranges::any_of(inputs, [&](const auto& input) { return same_file(file, input); }))
      throw usage_error(file + " is an input, and would be written over: name another file");
}

bool same_file(const fs::path& one, const fs::path& other) {
  if (one.empty() || other.empty()) return false;  // not given
  return fs::absolute(one).lexically_normal() == fs::absolute(other).lexically_normal();
}

void check_image_fits(const fs::path& file, dtype type, const extents& shape, int channels) {
  std::array<std::int64_t, 3> sizes{};
  for (int axis = 0; axis < shape.rank(); ++axis)
    sizes[static_cast<std::size_t>(axis)] = std::min<std::int64_t>(shape[axis], 1);
  image pixel(type,
              extents(std::span<const std::int64_t>(sizes).first(static_cast<std::size_t>(shape.rank()))),
              channels);
  if (pixel.bytes() > 0) std::memset(pixel.data(), 0, pixel.bytes());
  // A dry run: written beside the destination like the real output, and never committed.
  output_files rehearsal;
  rehearsal.add(file, pixel);
}

}  // namespace macareu::tool
