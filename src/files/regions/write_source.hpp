// Files of images that are read by regions.
#pragma once

#include <filesystem>

#include <macareu/sources.hpp>

namespace macareu::files {

/// Writes all pixels of a source, in bands of rows. Nothing is visible under the final name before the end.
void write_source(const std::filesystem::path& file, image_source& pixels, const sink_options& options = {});

}  // namespace macareu::files
