#include "c_mathematics.hpp"

#include <algorithm>
#include <array>

#include <macareu/error.hpp>

namespace macareu::converter {
namespace {

struct function {
  std::string_view name;
  int arguments;
  std::string_view type = "double";
  std::string_view header = "<math.h>";
  std::string_view result = "";  ///< empty: the argument type
};

constexpr std::array<function, 51> functions{{{"abs", 1, "int", "<stdlib.h>"},
                                              {"acos", 1},
                                              {"acosh", 1},
                                              {"asin", 1},
                                              {"asinh", 1},
                                              {"atan", 1},
                                              {"atan2", 2},
                                              {"atanh", 1},
                                              {"cbrt", 1},
                                              {"ceil", 1},
                                              {"copysign", 2},
                                              {"cos", 1},
                                              {"cosh", 1},
                                              {"erf", 1},
                                              {"erfc", 1},
                                              {"exp", 1},
                                              {"exp2", 1},
                                              {"expm1", 1},
                                              {"fabs", 1},
                                              {"fdim", 2},
                                              {"floor", 1},
                                              {"fma", 3},
                                              {"fmax", 2},
                                              {"fmin", 2},
                                              {"fmod", 2},
                                              {"hypot", 2},
                                              {"isfinite", 1, "double", "<math.h>", "int"},
                                              {"isinf", 1, "double", "<math.h>", "int"},
                                              {"isnan", 1, "double", "<math.h>", "int"},
                                              {"lgamma", 1},
                                              {"llrint", 1, "double", "<math.h>", "long long"},
                                              {"llround", 1, "double", "<math.h>", "long long"},
                                              {"log", 1},
                                              {"log10", 1},
                                              {"log1p", 1},
                                              {"log2", 1},
                                              {"lrint", 1, "double", "<math.h>", "long"},
                                              {"lround", 1, "double", "<math.h>", "long"},
                                              {"nearbyint", 1},
                                              {"pow", 2},
                                              {"remainder", 2},
                                              {"rint", 1},
                                              {"round", 1},
                                              {"signbit", 1, "double", "<math.h>", "int"},
                                              {"sin", 1},
                                              {"sinh", 1},
                                              {"sqrt", 1},
                                              {"tan", 1},
                                              {"tanh", 1},
                                              {"tgamma", 1},
                                              {"trunc", 1}}};

const function* found(std::string_view name) {
  const auto* const at = std::ranges::find(functions, name, &function::name);
  return at == functions.end() ? nullptr : at;
}

const function& known(std::string_view name) {
  if (const auto* const at = found(name)) return *at;
  throw internal_error("no such function of mathematics");
}

std::string hiding(const function& hidden) {
  constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
  std::string parameters, passed;
  for (int i = 0; i < hidden.arguments; ++i) {
    const auto name = std::string(names[static_cast<std::size_t>(i)]);
    parameters += (i == 0 ? "" : ", ") + std::string(hidden.type) + " " + name;
    passed += (i == 0 ? "" : ", ") + name;
  }
  const auto result = hidden.result.empty() ? hidden.type : hidden.result;
  return "RULE static inline " + std::string(result) + " " + std::string(hidden.name) + "(" + parameters +
         ") { return ::" + std::string(hidden.name) + "(" + passed + "); }\n";
}

}  // namespace

bool is_c_mathematics(std::string_view name) { return found(name) != nullptr; }

std::string c_mathematics(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& each : names) text += hiding(known(each));
  return text.empty() ? "" : "// As in C, where these have one type and no overloads.\n" + text + "\n";
}

std::vector<std::string> headers_of_c_mathematics(const std::vector<std::string>& names) {
  std::vector<std::string> headers;
  for (const auto& each : names) headers.emplace_back(known(each).header);
  return headers;
}

}  // namespace macareu::converter
