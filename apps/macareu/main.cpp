// macareu VERB INPUT... -o OUTPUT [options]
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/version.hpp>

#include "help.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace macareu::tool {
namespace {

std::vector<verb> all_verbs() {
  auto verbs = operator_verbs();
  for (const auto& other : {measure_verb(), convert_verb(), run_verb(), info_verb(), generate_verb(),
                            compare_verb(), bench_verb()})
    verbs.push_back(other);
  return verbs;
}

/// Messages of the library start with the operator's name, which differs from the verb's in its hyphens.
std::string without_name(const std::string& message, const std::string& verb) {
  auto name = verb + ": ";
  if (message.starts_with(name)) return message.substr(name.size());
  std::ranges::replace(name, '-', '_');
  return message.starts_with(name) ? message.substr(name.size()) : message;
}

int fail(int code, const std::string& verb, const std::string& message) {
  const auto line = "macareu: " + (verb.empty() ? "" : verb + ": ") + without_name(one_line(message), verb);
  std::cout.flush();
  std::fprintf(stderr, "%s\n", line.c_str());
  return code;
}

/// Runs `work` and says in one line what went wrong, if anything did.
template <class Work>
int guarded(const std::string& verb, Work&& work) {
  try {
    return work();
  } catch (const usage_error& e) {
    return fail(exit_code::usage, verb, e.what());
  } catch (const io_error& e) {
    return fail(exit_code::file, verb, e.what());
  } catch (const device_error& e) {
    return fail(exit_code::device, verb, e.what());
  } catch (const interrupted& e) {
    return fail(exit_code::interrupted, verb, e.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_code::device, verb, "not enough memory");
  } catch (const std::exception& e) {
    return fail(exit_code::internal, verb, std::string("internal error, please report it: ") + e.what());
  }
}

bool asks_for_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

int run_chosen(const verb& chosen, const std::vector<std::string>& arguments) {
  parser options;
  const auto action = chosen.prepare(options);
  if (std::ranges::any_of(arguments, asks_for_help)) {
    std::cout << help_of(chosen, options);
    return exit_code::done;
  }
  if (arguments.empty() && !chosen.works_alone) {
    std::cerr << usage_of(chosen, options);
    return exit_code::usage;
  }
  try {
    options.parse(arguments);
  } catch (const usage_error& e) {
    throw usage_error(std::string(e.what()) + "; see macareu " + chosen.name + " --help");
  }
  // Never destroyed: its thread listens until the program has ended.
  static auto& signals = *new interruption(chosen.name);
  return action(signals);
}

int dispatch(const std::vector<std::string>& arguments) {
  const auto verbs = all_verbs();
  if (arguments.empty()) {
    std::cerr << overview(verbs);
    return exit_code::usage;
  }
  const auto& first = arguments[0];
  if (asks_for_help(first)) {
    std::cout << overview(verbs);
    return exit_code::done;
  }
  if (first == "--version") {
    std::cout << "macareu " << version << '\n';
    return exit_code::done;
  }
  const auto chosen = std::ranges::find(verbs, first, &verb::name);
  if (chosen == verbs.end()) {
    std::vector<std::string> names;
    std::ranges::transform(verbs, std::back_inserter(names), &verb::name);
    throw usage_error((first.starts_with('-') ? "expected a verb, got " : "unknown verb ") +
                      in_quotes(first) + did_you_mean(first, names) + "; see macareu --help");
  }
  return guarded(chosen->name, [&] { return run_chosen(*chosen, {arguments.begin() + 1, arguments.end()}); });
}

}  // namespace
}  // namespace macareu::tool

int main(int count, char** values) {
  using namespace macareu::tool;
  int code = guarded("", [&] { return dispatch({values + std::min(count, 1), values + count}); });
  if (!std::cout.flush() && code == exit_code::done)
    code = fail(exit_code::file, "", "standard output: cannot be written");
  return code;
}
