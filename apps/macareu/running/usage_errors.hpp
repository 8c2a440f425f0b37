// Translation of the library's usage errors to options of the command line.
#pragma once

#include <string>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

namespace macareu::tool {

/// of_options: for an operator without a verb, where inputs after the first are options too.
enum class spelling { of_verb, of_options };

/// The message without the operator's name, which the verb replaces.
std::string worded(const call_problem& problem, const operator_description& about, spelling how);

/// Runs `run`. The errors it throws name options instead of parameters.
template <class Run>
auto translate_usage_errors(const operator_description& about, spelling how, Run&& run) {
  try {
    return run();
  } catch (const call_error& e) {
    throw usage_error(worded(e.problem(), about, how));
  }
}

/// The value of a parameter's option.
argument option_value(const parameter_description& parameter, const std::string& text);

}  // namespace macareu::tool
