// libvips, loaded when a file needs it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "files/vips/vips_module.hpp"

namespace macareu::files {

/// Whether the module is installed. Nothing is loaded.
bool has_vips();

/// Loads and starts libvips the first time; throws an io_error about `file` where that fails.
const vips_module& vips_for(const std::filesystem::path& file);

/// Names and versions of libvips and OpenSlide, as far as they are loaded.
std::vector<std::pair<std::string, std::string>> versions_of_loaded();

/// Throws the pending errors of libvips on one line, with `name` in place of `path`.
[[noreturn]] void fail_with_vips(const std::filesystem::path& path, const std::filesystem::path& name);

}  // namespace macareu::files
