// A verb of the command line.
#pragma once

#include <functional>
#include <string>

#include "interruption.hpp"
#include "parser.hpp"

namespace macareu::tool {

/// Exit codes of the program.
namespace exit_code {
constexpr int done = 0;
constexpr int difference = 1;
constexpr int usage = 2;
constexpr int file = 3;
constexpr int device = 4;
constexpr int internal = 70;
constexpr int interrupted = 130;
}  // namespace exit_code

struct verb {
  std::string name;
  std::string group;  ///< heading in the list of verbs
  std::string brief;
  std::string notes = {};
  std::string example = {};  ///< a line for the shell
  /// Whether it may run without arguments.
  bool works_alone = false;
  /// Whether several ranks can share it.
  bool on_ranks = false;
  /// Adds its options to the parser. Returns the action to run after parsing, which returns an exit code.
  std::function<std::function<int(interruption&)>(parser&)> prepare = {};
  /// If `prepare` is empty: the program that has the verb, in the directory of this one.
  std::string program = {};
};

}  // namespace macareu::tool
