// The interface of a file format: one row of a table.
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <macareu/files.hpp>
#include <macareu/sources.hpp>

#include "input.hpp"
#include "output.hpp"
#include "pixel_data.hpp"

namespace macareu::files {

/// Sets of pixel types and of channel counts, as bits.
using type_set = std::uint16_t;
template <class... Types>
constexpr type_set set_of(Types... types) {
  return static_cast<type_set>(((1u << static_cast<unsigned>(types)) | ...));
}
constexpr type_set all_types = (1u << 11) - 1;
constexpr std::uint32_t any_channels = ~0u;
constexpr std::uint32_t channels_in(std::initializer_list<int> counts) {
  std::uint32_t bits = 0;
  for (const int count : counts) bits |= 1u << count;
  return bits;
}

/// Which images a format can hold.
struct capacity {
  type_set types = all_types;
  std::uint32_t channels = any_channels;
  int largest_rank = 3;
  bool empty = false;
  /// Smaller levels beside an image.
  bool pyramids = false;
};

struct format {
  /// In lower case, with the dot.
  std::string_view extension;
  /// Null where libvips recognises the file by its content.
  image_file (*read)(input& file, const read_options& options);
  /// Null where the format can only be read.
  void (*write)(output& file, const pixel_rows& pixels, const sink_options& options);
  capacity holds = {};
  /// Written front to back, so it can be a pipe.
  bool streams = true;
  /// Formats that are a header and pixels: reads the header.
  stored_image (*locate)(input& file, const read_options& options) = nullptr;
  /// The header to write. Pixels in C order follow, least significant byte first.
  std::string (*header)(const source_form& form) = nullptr;
  /// Other built-in formats that may be large: the same as read(), in parts. Returns the form of all pixels.
  source_form (*decode)(input& file, const take_pixels& take) = nullptr;
};

stored_image locate_npy(input& file, const read_options& options);
stored_image locate_nrrd(input& file, const read_options& options);
stored_image locate_mha(input& file, const read_options& options);
stored_image locate_raw(input& file, const read_options& options);
std::string npy_header(const source_form& form);
std::string nrrd_header(const source_form& form);
std::string mha_header(const source_form& form);
std::string raw_header(const source_form& form);

/// The pixel type and byte order of a NumPy type such as "<u2"; nothing for others.
std::optional<std::pair<dtype, std::endian>> numpy_type(std::string_view descr);
/// The NumPy type with the least significant byte first.
std::string numpy_name(dtype type);

template <auto locate>
image_file read_stored(input& file, const read_options& options) {
  return read_stored_pixels(file, locate(file, options));
}
template <auto header>
void write_stored(output& file, const pixel_rows& pixels, const sink_options&) {
  file.write(header(pixels.form()));
  write_rows(file, pixels, 0, pixels.rows(), std::endian::little);
}

image_file read_pnm(input& file, const read_options& options);
source_form decode_pnm(input& file, const take_pixels& take);
void write_pnm(output& file, const pixel_rows& pixels, const sink_options& options);
image_file read_numbers(input& file, const read_options& options);

/// Any file that libvips knows; an io_error where libvips cannot be loaded.
image_file read_with_vips(const std::filesystem::path& file, const read_options& options);
/// The form of decoded pixels. Of a grey picture only the first channel is needed.
struct decoded_picture {
  source_form form;
  bool grey = false;
};
/// The same in parts.
decoded_picture decode_with_vips(const std::filesystem::path& file, const read_options& options,
                                 const take_pixels& take);
/// The same by regions, without a work file, for slides and for TIFF files in tiles; null for others.
std::unique_ptr<image_source> open_with_vips(const std::filesystem::path& file, const read_options& options);

/// The tiles of a TIFF page; 0 if it has strips.
struct tiff_tiles {
  std::int64_t width = 0, height = 0;
  /// Smaller levels inside the page.
  int sub_pages = 0;
};
/// The directories, each of a page or of a pyramid level, that a TIFF or BigTIFF file chains. Throws io_error
/// if the chain leaves the file. Empty for other files.
std::vector<tiff_tiles> read_tiff_directories(input& file);
/// The formats that libvips writes, whether or not it is installed.
std::span<const format> vips_formats();

/// Whether `file` is written directly: a pipe, a device, or a name of an open descriptor such as /dev/stdout.
bool is_stream_destination(const std::filesystem::path& file);

/// The format of the extension of `file`, loaded and ready to write; see check_writable.
const format& writable_format(const std::filesystem::path& file);

/// The format of an open file, by its extension or else its first bytes. Null where libvips may recognise it.
/// Fails if it is a pipe of an unknown format.
const format* format_to_read(input& file, const read_options& options);

/// The format for writing an image to `file`. Throws usage_error naming a format that can hold it. A stream
/// without an extension gets .npy.
const format& format_to_write(const std::filesystem::path& file, const source_form& form);

/// Writes a Zarr directory, which appears at the commit.
std::unique_ptr<image_sink> write_zarr(const std::filesystem::path& file, const pixel_rows& pixels);

/// Writes to `path`; messages use `name`.
void write_as(const format& chosen, const std::filesystem::path& path, const std::filesystem::path& name,
              const pixel_rows& pixels, const sink_options& options = {});

}  // namespace macareu::files
