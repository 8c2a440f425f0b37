// JPEG files in memory.
#pragma once

#include <optional>
#include <string>

#include <macareu/image.hpp>

namespace macareu::files {

/// Whether jpeg() gives files: libvips is available.
bool has_jpeg();
/// The file of a picture of bytes, with 1 or 3 channels; nothing without libvips.
std::optional<std::string> jpeg(const const_image_view& pixels, int quality);

}  // namespace macareu::files
