// What the library refuses, in the words of the command line.
#pragma once

#include <string>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

namespace macareu::tool {

/// Of an operator without a verb, inputs after the first are options as well.
enum class spelling { of_verb, of_options };

/// Without the operator's name, which the verb stands for.
std::string worded(const call_problem& problem, const operator_description& about, spelling how);

/// Runs `run`; parameters are options in what it throws.
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
