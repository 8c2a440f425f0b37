#include "parser.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include <macareu/error.hpp>

#include "text.hpp"

namespace macareu::tool {
namespace {

void add_to(CLI::App& app, const option& about) {
  CLI::Option* added = nullptr;
  if (about.is_flag())
    added = app.add_flag_callback(about.names, [take = about.take] { take("true"); });
  else if (about.several)
    added = app.add_option_function<std::vector<std::string>>(
        about.names, [take = about.take](const std::vector<std::string>& values) {
          for (const auto& value : values) take(value);
        });
  else
    added = app.add_option_function<std::string>(about.names, about.take);
  added->required(about.required);
  if (about.several && !about.is_input()) added->allow_extra_args(false);  // --param a=1 --param b=2
}

std::vector<std::string> long_names(const std::vector<option>& options) {
  std::vector<std::string> names{"--help"};
  for (const auto& about : options)
    if (const auto dashes = about.names.find("--"); dashes != std::string::npos)
      names.push_back(about.names.substr(dashes));
  return names;
}

/// Translates the CLI11 failures that our options can cause. An option that is given too often has all its
/// values already.
std::string in_our_words(const CLI::App& app, const CLI::ParseError& failure,
                         const std::vector<std::string>& arguments) {
  if (!dynamic_cast<const CLI::ArgumentMismatch*>(&failure)) return failure.what();
  for (const auto* option : app.get_options())
    if (option->count() > 1 && option->get_items_expected_max() == 1)
      return option->get_name() + " is given more than once";
  for (const auto* option : app.get_options())
    if (option->count() == 0 &&
        std::ranges::any_of(arguments, [&](const auto& word) { return option->check_name(word); }))
      return option->get_name() + " needs a value";
  return failure.what();
}

/// The message for unparsed arguments. A mistyped option is reported before the missing values it causes.
std::string unexpected(const std::vector<std::string>& left, const std::vector<option>& options) {
  for (const auto& argument : left)
    if (argument.size() > 1 && argument[0] == '-')
      return "unknown option " + in_quotes(argument) +
             did_you_mean(argument.substr(0, argument.find('=')), long_names(options));
  return left.empty() ? "" : "unexpected argument " + in_quotes(left.front());
}

}  // namespace

void parser::parse(const std::vector<std::string>& arguments) const {
  for (const auto& argument : arguments)
    for (const auto& about : options_)
      if (about.is_flag() && argument.starts_with(about.names + "="))
        throw usage_error(about.names + " takes no value");
  CLI::App app;
  app.set_help_flag();
  for (const auto& about : options_) add_to(app, about);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& failure) {
    const auto message = unexpected(app.remaining(), options_);
    throw usage_error(message.empty() ? in_our_words(app, failure, arguments) : message);
  }
}

}  // namespace macareu::tool
