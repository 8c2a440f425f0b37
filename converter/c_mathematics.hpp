// <math.h> and <stdlib.h> with the rules of C: one function per name, arguments converted to its types. C++
// and CUDA have overloads instead, which compute floats in float.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace macareu::converter {

/// Whether C++ overloads this function, which has one type in C.
bool is_c_mathematics(std::string_view name);

/// Functions that hide the overloads in the enclosing namespace, and the headers that they need.
std::string c_mathematics(const std::vector<std::string>& names);
std::vector<std::string> headers_of_c_mathematics(const std::vector<std::string>& names);

}  // namespace macareu::converter
