#include "program.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>
#include <macareu/version.hpp>

#include "commit.hpp"
#include "help.hpp"
#include "manual.hpp"
#include "shared_ranks.hpp"
#include "text.hpp"

namespace macareu::tool {
namespace {

int fail(int code, const std::string& verb, const std::string& message) {
  if (!is_first_rank() && shared_ranks()->has_failed()) return code;  // the first one tells
  const auto line = "macareu: " + (verb.empty() ? "" : verb + ": ") + one_line(message);
  std::cout.flush();
  std::fprintf(stderr, "%s\n", line.c_str());
  return code;
}

/// The verb stands for its operator.
int fail(int code, const std::string& verb, const error& failure) {
  const auto* const about = find_operator(failure.about());
  const bool is_verb = failure.about() == verb || (about && about->verb == verb);
  return fail(code, verb, is_verb ? failure.message() : std::string(failure.what()));
}

bool asks_for_help(const std::string& argument) { return argument == "--help" || argument == "-h"; }

/// Replaces the process by the program that has the verb, so streams, signals and the exit code pass through.
[[noreturn]] void hand_over(const verb& chosen, const std::vector<std::string>& arguments) {
  const auto directory = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto file = (directory / chosen.program).string();
  std::vector<std::string> words{file, chosen.name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> values;
  std::ranges::transform(words, std::back_inserter(values), [](auto& word) { return word.data(); });
  values.push_back(nullptr);
  execv(file.c_str(), values.data());
  if (errno != ENOENT) throw io_error(file, std::strerror(errno));
  throw usage_error(chosen.program + " is not in " + directory.string() + "; `make` builds it");
}

/// Throws an error in the command line. Where a launcher started several processes, all of them have it, and
/// the first one tells it.
[[noreturn]] void refuse(const std::string& message) {
  const usage_error error(message);
  interruption::hold_signals();
  want_ranks(1);
  open_ranks();
  if (shared_ranks()) shared_ranks()->fail(std::make_exception_ptr(error));
  throw error;
}

/// Exchanges follow from the command, so ranks with different ones would wait for each other.
void require_same_command(const verb& chosen, const std::vector<std::string>& arguments) {
  shared_ranks()->require_same("commands or versions", "macareu " + std::string(version) + " of commit " +
                                                           commit + ": " + chosen.name + " " +
                                                           joined(arguments, " "));
}

int run_chosen(const verb& chosen, const std::vector<std::string>& arguments) {
  if (!chosen.prepare) hand_over(chosen, arguments);
  parser options;
  const auto action = [&] {
    try {
      return chosen.prepare(options);
    } catch (const usage_error& e) {  // in the environment, perhaps of one rank
      refuse(e.what());
    }
  }();
  if (arguments == std::vector<std::string>{"--options"}) {
    std::cout << option_lines(options);
    return exit_code::done;
  }
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
    refuse(std::string(e.what()) + "; see macareu " + chosen.name + " --help");
  }
  interruption::hold_signals();  // also from threads of MPI
  open_ranks(chosen.name);
  // Never destroyed: its thread listens until the program ends.
  std::vector<std::string> words{chosen.name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  static auto& signals = *new interruption(std::move(words));
  try {
    if (shared_ranks()) require_same_command(chosen, arguments);
    if (shared_ranks() && !chosen.on_ranks)
      throw usage_error("runs in one process; start it without mpirun or srun");
    const int code = action(signals);
    if (shared_ranks()) {
      end_command();
      signals.end();
    }
    return code;
  } catch (...) {
    if (shared_ranks()) {
      const std::shared_ptr<void> ends(nullptr, [](void*) { signals.end(); });
      shared_ranks()->fail(std::current_exception());
    }
    throw;
  }
}

/// Also accepts names from other libraries: `macareu imreconstruct`.
std::string suggested_verb(const std::string& unknown, const std::vector<verb>& verbs) {
  std::vector<std::string> names;
  std::ranges::transform(verbs, std::back_inserter(names), &verb::name);
  auto near = did_you_mean(unknown, names);
  if (!near.empty()) return near;
  const auto* about = nearest_operator(unknown);
  return about ? " (did you mean " + std::string(about->verb) + "?)" : "";
}

/// For shell completions: `--options` lists the verbs, `--options VERB` the options of one.
int list_options(const std::vector<verb>& verbs, const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    std::cout << verb_lines(verbs);
    return exit_code::done;
  }
  const auto chosen = std::ranges::find(verbs, arguments[1], &verb::name);
  if (chosen == verbs.end()) return exit_code::usage;
  if (!chosen->prepare) hand_over(*chosen, {"--options"});
  parser options;
  chosen->prepare(options);
  std::cout << option_lines(options);
  return exit_code::done;
}

int dispatch(const std::vector<verb>& verbs, const std::vector<std::string>& arguments) {
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
  if (first == "--options") return list_options(verbs, arguments);
  if (first == "--manual" && arguments.size() == 2) {
    write_manual(verbs, arguments[1]);
    return exit_code::done;
  }
  const auto chosen = std::ranges::find(verbs, first, &verb::name);
  if (chosen == verbs.end())
    refuse((first.starts_with('-') ? "expected a verb, got " : "unknown verb ") + in_quotes(first) +
           suggested_verb(first, verbs) + "; see macareu --help");
  return guarded(chosen->name, [&] { return run_chosen(*chosen, {arguments.begin() + 1, arguments.end()}); });
}

}  // namespace

int guarded(const std::string& verb, const std::function<int()>& work) {
  try {
    return work();
  } catch (const usage_error& e) {
    return fail(exit_code::usage, verb, e);
  } catch (const io_error& e) {
    return fail(exit_code::file, verb, e);
  } catch (const device_error& e) {
    return fail(exit_code::device, verb, e);
  } catch (const interrupted& e) {
    return fail(exit_code::interrupted, verb, e);
  } catch (const std::bad_alloc&) {
    return fail(exit_code::device, verb, "not enough memory");
  } catch (const std::exception& e) {
    return fail(exit_code::internal, verb, std::string("internal error, please report it: ") + e.what());
  }
}

namespace {

/// Ranks open files of each other, and there may be many of them.
void allow_many_files() {
  constexpr rlim_t enough = 65536;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= enough) return;
  limit.rlim_cur = std::min(limit.rlim_max, enough);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int run_program(std::vector<verb> (*verbs)(), int count, char** values) {
  allow_many_files();
  int code = guarded("", [&] { return dispatch(verbs(), {values + std::min(count, 1), values + count}); });
  if (!std::cout.flush() && code == exit_code::done)
    code = fail(exit_code::file, "", "standard output: cannot be written");
  close_ranks();
  return code;
}

}  // namespace macareu::tool
