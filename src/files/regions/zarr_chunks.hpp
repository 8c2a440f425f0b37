// The chunk files of a Zarr array.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "zarr_metadata.hpp"

namespace macareu::files {

/// Decodes a chunk into `pixels`, as values of this machine. Returns false, and leaves `pixels` alone, if the
/// chunk is missing. Fails unless the file holds exactly one chunk.
bool read_chunk(const zarr_array& array, const std::filesystem::path& file, std::vector<std::byte>& pixels);

/// Writes a chunk without compression, under another name, and renames it. Messages use `name`.
void write_chunk(const zarr_array& array, const std::filesystem::path& file,
                 std::span<const std::byte> pixels, const std::filesystem::path& name);

/// Gives a file with the pixels of a chunk the chunk's name too, and its permissions. Returns false if the
/// file system cannot.
bool link_as_chunk(const zarr_array& array, const std::filesystem::path& chunk,
                   const std::filesystem::path& file);

}  // namespace macareu::files
