// Conversion between image files and the types of a user's function.
#pragma once

#include <string>
#include <vector>

#include <macareu/image.hpp>

#include <call.hpp>

namespace macareu::tool {

/// The same values in another type. Throws usage_error, naming `file`, unless that type can represent all
/// values.
image widened(image from, dtype type, const std::string& file);

/// Parses name=value texts. Throws usage_error for a missing or unknown parameter, or an invalid value.
std::vector<converter::parameter_value> parameter_values(const converter::description& about,
                                                         const std::vector<std::string>& given);

/// The result of an R2S function as one line, or of an R2V function as bin,value lines.
std::string text_of_result(const converter::call& given, const converter::result_bytes& result);

}  // namespace macareu::tool
