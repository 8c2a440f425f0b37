// <math.h> and <stdlib.h> as C has them: one function by each name, to whose types arguments are converted.
// C++ and CUDA have overloads by the same names, which compute with floats in float.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace macareu::converter {

/// Whether C++ has overloads of this function, for all of which C has one.
bool is_c_mathematics(std::string_view name);

/// Functions that hide the overloads, in the namespace that the text stands in, and the headers that they
/// need.
std::string c_mathematics(const std::vector<std::string>& names);
std::vector<std::string> headers_of_c_mathematics(const std::vector<std::string>& names);

}  // namespace macareu::converter
