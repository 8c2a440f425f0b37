// Source code for a described function: the programs of `convert`, and what `run` compiles.
#pragma once

#include <map>
#include <string>

#include "description.hpp"

namespace macareu::converter {

struct generation {
  std::string name = "filter";     ///< of the program and its files
  std::string border = "nearest";  ///< what windows see outside: nearest, constant, reflect, mirror or wrap
};

/// All files of a program, by name. It needs nothing of Macareu.
std::map<std::string, std::string> program(const description& about, const generation& how);

/// What the system's compiler makes a shared object of: entry.cpp, which includes the others.
std::map<std::string, std::string> shared_object_source(const description& about, const generation& how);

/// How many pixels a thread of the kernels of P2P and N2P computes at a time: side by side, and rows below
/// each other.
struct thread_share {
  int across, down;
  int most_steps;  // a thread of a large image repeats that downwards
};
thread_share pixels_of_a_thread(const description& about);

/// What NVRTC compiles: rule and kernels, and parameters as bytes of their own layout.
std::string kernel_source(const description& about, const generation& how);

}  // namespace macareu::converter
