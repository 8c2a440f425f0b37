// The interface of a file format: one row of a table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string_view>

#include <macareu/files.hpp>

#include "input.hpp"
#include "output.hpp"

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
};

struct format {
  /// In lower case, with the dot.
  std::string_view extension;
  /// Null where libvips recognises the file by its content.
  image_file (*read)(input& file, const read_options& options);
  /// Null where the format can only be read.
  void (*write)(output& file, const const_image_view& pixels, const metadata& info);
  capacity holds = {};
  /// Written front to back, so it can be a pipe.
  bool streams = true;
};

image_file read_npy(input& file, const read_options& options);
image_file read_pnm(input& file, const read_options& options);
image_file read_nrrd(input& file, const read_options& options);
image_file read_mha(input& file, const read_options& options);
image_file read_raw(input& file, const read_options& options);
image_file read_numbers(input& file, const read_options& options);
void write_npy(output& file, const const_image_view& pixels, const metadata& info);
void write_pnm(output& file, const const_image_view& pixels, const metadata& info);
void write_nrrd(output& file, const const_image_view& pixels, const metadata& info);
void write_mha(output& file, const const_image_view& pixels, const metadata& info);
void write_raw(output& file, const const_image_view& pixels, const metadata& info);

/// Any file that libvips knows; an io_error where libvips cannot be loaded.
image_file read_with_vips(const std::filesystem::path& file);
/// Number of directories, each of a page or of a pyramid level, that a TIFF or BigTIFF file chains. Throws
/// io_error if the chain leaves the file.
std::uint64_t count_tiff_directories(input& file);
/// The formats that libvips writes, whether or not it is installed.
std::span<const format> vips_formats();

/// Whether `file` is written directly: a pipe, a device, or a name of an open descriptor such as /dev/stdout.
bool is_stream_destination(const std::filesystem::path& file);

/// The format of the extension of `file`, loaded and ready to write; see check_writable.
const format& writable_format(const std::filesystem::path& file);

/// The format for writing `pixels` to `file`. Throws usage_error naming a format that can hold them. A stream
/// without an extension gets .npy.
const format& format_to_write(const std::filesystem::path& file, const const_image_view& pixels);

/// Writes to `path`; messages use `name`.
void write_as(const format& chosen, const std::filesystem::path& path, const std::filesystem::path& name,
              const const_image_view& pixels, const metadata& info);

}  // namespace macareu::files
