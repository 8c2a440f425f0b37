// Checks of output files before any work, so that a long run does not fail when it writes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::tool {

/// Before inputs are read. Throws usage_error if the extension cannot be written, io_error if the directory
/// is missing or the format cannot be loaded.
void check_image_output(const std::filesystem::path& file);
void check_text_output(const std::filesystem::path& file);
/// Throws usage_error if two outputs are the same file.
void check_distinct(const std::vector<std::string>& files);
/// Throws usage_error if a report, a table or a picture would overwrite an input.
void check_no_input(const std::vector<std::string>& written, const std::vector<std::string>& inputs);
/// Compares names; the files need not exist. An empty name is no file.
bool same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Once type and shape are known. Throws if the format of this file cannot hold such an image.
void check_image_fits(const std::filesystem::path& file, dtype type, const extents& shape, int channels);

}  // namespace macareu::tool
