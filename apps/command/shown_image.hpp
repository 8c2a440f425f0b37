// Image files as pages show them.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <macareu/sources.hpp>

#include "inputs.hpp"

namespace macareu::tool {

/// Rows and columns of a pixel in micrometres; files give millimetres.
std::optional<std::array<double, 2>> micrometres(const source_form& form);

/// An image and the smaller levels that its file has. Levels of other proportions, as labels of slides have
/// them, are left out.
std::vector<std::unique_ptr<image_source>> open_levels(const input_options& reading, const std::string& file,
                                                       const std::filesystem::path& scratch);

}  // namespace macareu::tool
