// Ranks of one machine without MPI.
#pragma once

#include <memory>
#include <string>

#include <macareu/ranks.hpp>

namespace macareu::tool {

/// Copies this process until there are so many, connected by sockets; this one is the first rank. Returns in
/// all of them. Call it before threads start. If one of them is killed, all end, and the first one says so in
/// a line that names the verb. They do not outlive the first.
std::unique_ptr<ranks> fork_ranks(int size, const std::string& verb);

/// The signal by which the first rank asks the others to stop: their next exchange may be far.
int stop_signal();
void stop_forked_ranks();

/// All ranks have done their part of the command: one that is killed now ends none of the others.
void expect_end_of_ranks();

/// While one exists, --resume continues what ranks have done. The line of a killed rank says so.
class resumable_section {
 public:
  resumable_section();
  ~resumable_section();
  resumable_section(const resumable_section&) = delete;
  resumable_section& operator=(const resumable_section&) = delete;
};

}  // namespace macareu::tool
