// Zarr v2 arrays and OME-Zarr 0.4 images: directories with a file for each chunk.
#pragma once

#include <filesystem>
#include <memory>

#include <macareu/sources.hpp>

namespace macareu::files {

/// Whether this build can read and write them.
bool has_zarr();
bool is_zarr_name(const std::filesystem::path& file);

std::unique_ptr<image_source> open_zarr(const std::filesystem::path& directory, const read_options& options);
/// An image if the name ends in .ome.zarr, else an array. Only images have pyramids. Chunks may be left out
/// if `zeros_elsewhere`. Several threads may write different chunks at the same time.
std::unique_ptr<image_sink> create_zarr(const std::filesystem::path& directory, const source_form& form,
                                        const sink_options& options = {}, bool zeros_elsewhere = false);

}  // namespace macareu::files
