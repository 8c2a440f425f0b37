#include "running/usage_errors.hpp"

#include "command/text.hpp"

namespace macareu::tool {

std::string worded(const call_problem& problem, const operator_description& about, spelling how) {
  return problem.text([&](const error_part& part) {
    const bool input = part.is == error_part::role::input && part.text != about.inputs[0].name;
    const bool option = part.is == error_part::role::parameter || (input && how == spelling::of_options);
    return option ? option_name(part.text) : part.text;
  });
}

argument option_value(const parameter_description& parameter, const std::string& text) {
  try {
    return parse_argument(parameter, text);
  } catch (const call_error& e) {
    throw usage_error(e.problem().text([](const error_part& part) { return option_name(part.text); }));
  }
}

}  // namespace macareu::tool
