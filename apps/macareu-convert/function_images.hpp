// Between image files and the types of a user's function.
#pragma once

#include <string>
#include <vector>

#include <macareu/image.hpp>

#include <call.hpp>

namespace macareu::tool {

/// The same values in another type. Throws usage_error, naming `file`, unless every value of the one fits the
/// other.
image widened(image from, dtype type, const std::string& file);

/// The values of parameters from name=value texts. Throws usage_error for what is missing, unknown or no
/// value.
std::vector<converter::parameter_value> parameter_values(const converter::description& about,
                                                         const std::vector<std::string>& given);

/// Of an R2S or R2V function: one number in a line, or bin,value lines.
std::string text_of_result(const converter::call& given, const converter::result_bytes& result);

}  // namespace macareu::tool
