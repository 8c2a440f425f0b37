// The error for a parameter's value: "median: size: expected 3, 5 or 7, got 4".
#pragma once

#include <string>
#include <string_view>

#include <macareu/error.hpp>

namespace macareu {

inline call_error wrong_value(std::string_view operation, std::string_view parameter,
                              const std::string& allowed, const std::string& given,
                              fault kind = fault::value) {
  return call_error({.kind = kind,
                     .operation = std::string(operation),
                     .parts = {parameter_named(parameter), ": expected " + allowed + ", got " + given},
                     .given = given,
                     .allowed = allowed});
}

}  // namespace macareu
