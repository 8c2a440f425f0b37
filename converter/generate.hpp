// Generates source code for a described function: the programs of `convert`, and the code that `run`
// compiles.
#pragma once

#include <map>
#include <string>

#include "description.hpp"

namespace macareu::converter {

struct generation {
  std::string name = "filter";     ///< of the program and its files
  std::string border = "nearest";  ///< border rule of windows: nearest, constant, reflect, mirror or wrap
};

/// All files of a program, by name. The program does not depend on Macareu.
std::map<std::string, std::string> program(const description& about, const generation& how);

/// Source of the shared object: entry.cpp, which includes the other files.
std::map<std::string, std::string> shared_object_source(const description& about, const generation& how);

/// How many pixels a thread of the P2P and N2P kernels computes per step: columns, and rows.
struct thread_share {
  int across, down;
  int most_steps;  // most steps of a thread, downwards, in a large image
};
thread_share pixels_of_a_thread(const description& about);

/// The source for NVRTC: the rule, its kernels, and parameters as bytes in their C layout.
std::string kernel_source(const description& about, const generation& how);

}  // namespace macareu::converter
