// A verb of the command line.
#pragma once

#include <functional>
#include <string>

#include "interruption.hpp"
#include "parser.hpp"

namespace macareu::tool {

/// What the program exits with.
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
  /// Whether it does something useful when nothing is given.
  bool works_alone = false;
  /// Adds its options to the parser, and gives what to do once they are parsed; that returns an exit code.
  std::function<std::function<int(interruption&)>(parser&)> prepare = {};
  /// Where there is nothing to prepare: the program, in the directory of this one, that has the verb.
  std::string program = {};
};

}  // namespace macareu::tool
