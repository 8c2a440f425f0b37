// Metadata of Zarr v2 arrays (https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html) and of OME-Zarr 0.4
// images (https://ngff.openmicroscopy.org/0.4). Nothing in it is trusted.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <macareu/sources.hpp>

namespace macareu::files {

enum class zarr_codec { none, deflate, zstd, blosc };

struct zarr_array {
  std::filesystem::path directory;
  dtype type = dtype::u8;
  std::endian order = std::endian::little;
  /// Outermost axis first.
  std::vector<std::int64_t> shape = {}, chunks = {};
  zarr_codec codec = zarr_codec::none;
  char separator = '.';
  /// The value of pixels whose chunk is missing, as this machine stores it.
  std::array<std::byte, 8> fill = {};

  std::size_t chunk_bytes() const;
  std::filesystem::path chunk_file(std::span<const std::int64_t> index) const;
};

/// An image in an array.
struct zarr_image {
  zarr_array array;
  source_form form;
  /// The axes of the array for slices, rows, columns and channels; -1 where there is none.
  std::array<int, 4> axes;
};

/// Opens an image whose metadata was read.
std::unique_ptr<image_source> open_zarr_image(zarr_image image);

/// Reads the metadata of an array, or of a level of a group with multiscales. Throws io_error.
zarr_image read_zarr_metadata(const std::filesystem::path& directory, const read_options& options);

/// The text of .zarray for chunks without compression.
std::string zarray_text(const zarr_array& array);
/// The text of .zattrs for a group with the arrays 0, 1 ..., each half of the one before, with a channel axis
/// first.
std::string multiscales_text(const source_form& form, const std::string& name, int levels);
inline constexpr const char* zgroup_text = "{\"zarr_format\": 2}\n";

}  // namespace macareu::files
