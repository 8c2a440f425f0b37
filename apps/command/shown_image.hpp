// Image files as pages show them.
#pragma once

#include <array>
#include <optional>

#include <macareu/sources.hpp>

namespace macareu::tool {

/// Rows and columns of a pixel in micrometres; files give millimetres.
std::optional<std::array<double, 2>> micrometres(const source_form& form);

}  // namespace macareu::tool
