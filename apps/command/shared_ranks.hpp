// The processes that share a command: those of mpirun or srun, or of --ranks.
#pragma once

#include <functional>
#include <string>

#include <macareu/ranks.hpp>

namespace macareu::tool {

constexpr int most_forked_ranks = 256;

/// So many processes of this machine are wanted, without a launcher.
void want_ranks(int size);
/// Finds those that a launcher started, else starts those that are wanted. Call it before threads start.
/// Ranks after the first one print nothing. Throws usage_error on all ranks if both are there.
void open_ranks(const std::string& verb = "");
/// Returns when all ranks have done their part of the command.
void end_command();
/// All ranks call it at the end of the program.
void close_ranks();
/// Null if this process has the command alone.
ranks* shared_ranks();

/// Runs work on the first rank, while the others wait; on the only process without ranks.
void on_first_rank(const std::function<void()>& work);
/// Whether this process is the first rank, or the only one.
bool is_first_rank();

/// Creates a file on the first rank, after the others have created theirs: these remove what processes of the
/// name left, and do not know those of other machines.
template <class Create>
auto created_by_ranks(const Create& create) {
  if (!shared_ranks()) return create();
  if (is_first_rank()) shared_ranks()->meet();
  auto made = create();
  if (!is_first_rank()) shared_ranks()->meet();
  return made;
}

}  // namespace macareu::tool
