// Checks of output files before any work, so that a long run does not end with a name that cannot be written.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::tool {

/// Before inputs are read. Throws usage_error where the extension cannot be written, io_error where the
/// directory is not there or the format cannot be loaded.
void check_image_output(const std::filesystem::path& file);
void check_text_output(const std::filesystem::path& file);
/// Throws usage_error where two outputs are one file.
void check_distinct(const std::vector<std::string>& files);
/// Throws usage_error where a report, a table or a picture would be written over an input.
void check_no_input(const std::vector<std::string>& written, const std::vector<std::string>& inputs);
/// By their names: neither need be there. Empty names are of no file.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Once type and shape are known: throws where such an image cannot be written to this file.
void check_image_fits(const std::filesystem::path& file, dtype type, const extents& shape, int channels);

}  // namespace macareu::tool
