// The files of converter/templates as text: skeletons of generated programs.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace macareu::converter {

/// Throws internal_error if there is no such file.
std::string_view template_named(std::string_view name);

/// The text with every @NAME@ of the map replaced.
std::string filled(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace macareu::converter
