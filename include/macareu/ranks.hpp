// Several processes that share a run in pieces (pieces.hpp), on one machine or on many.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace macareu {

/// Ranks first .. end - 1 of a tree, and where its two halves meet.
struct rank_range {
  int first, middle, end;
};

/// What ranks tell each other along their binary tree, and what the answers are. All functions may throw.
struct rank_exchange {
  /// What two halves of a range tell, as what the range tells.
  std::function<std::string(const rank_range&, std::string, std::string)> join;
  /// The answer to what all ranks tell. Absent: that itself.
  std::function<std::string(std::string)> answer = {};
  /// The answer for each half of a range. Absent: the same for both.
  std::function<std::pair<std::string, std::string>(const rank_range&, std::string)> split = {};
};

/// One of the processes of a run. All of them call the same functions in the same order, from one thread.
///
/// An error of one rank is one of all. The rank that has it calls fail() instead of its next exchange, which
/// then throws on every rank.
class ranks {
 public:
  ranks() = default;
  virtual ~ranks() = default;
  ranks(const ranks&) = delete;
  ranks& operator=(const ranks&) = delete;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Of this machine alone.
  virtual int local_rank() const { return 0; }
  virtual int local_size() const { return 1; }
  virtual std::string host() const = 0;
  bool is_first() const { return rank() == 0; }

  /// The answer for this rank, which tells `own`.
  std::string exchange(std::string own, const rank_exchange& how);
  /// Returns when all ranks have called it.
  void meet();
  /// What the first rank has.
  std::string from_first(std::string own);
  /// What every rank has.
  std::vector<std::string> gather(std::string own);
  /// The least of what all ranks have.
  std::int64_t least(std::int64_t own);
  /// Runs work on the first rank alone. Its errors are those of all.
  void on_first(const std::function<void()>& work);
  /// Throws usage_error if a rank has another text than the first. `what` is for the message.
  void require_same(std::string_view what, const std::string& own);

  /// A part of the work is done that all ranks do in this order. Of several errors that of the earliest part
  /// is told, as one process would have met it first.
  void end_part() { ++parts_; }
  /// Tells the others of an error of this rank, unless they know. Throws the one that all were told; returns
  /// if that is a usage_error of this rank. It names its rank, unless it is a usage_error of the first one,
  /// which others may have too.
  void fail(const std::exception_ptr& error);
  /// Whether all ranks know of an error.
  bool has_failed() const { return failed_; }

  /// Bytes that this rank sent toward the root of the tree.
  std::int64_t bytes_up() const { return bytes_up_; }
  /// Seconds that this rank waited for messages of others, with their transfer.
  double seconds_waiting() const { return seconds_waiting_; }

 protected:
  /// Messages from one rank to another arrive in the order in which they were sent.
  virtual void send(int to, std::string_view bytes) = 0;
  virtual std::string receive(int from) = 0;

 private:
  std::string told_by(const std::exception_ptr& error) const;
  std::string pass(char state, std::string bytes, const rank_exchange& how);
  /// receive(), timed.
  std::string await(int from);

  bool failed_ = false;
  std::int64_t parts_ = 0, bytes_up_ = 0;
  double seconds_waiting_ = 0;
};

/// The processes that mpirun, mpiexec or srun started with this one, through a module for the MPI that they
/// belong to; null if this process was started alone. Call it before threads start, and once. Throws
/// usage_error if MPI knows of fewer processes than the launcher.
std::unique_ptr<ranks> launched_ranks();

/// The bytes that each rank may use of the memory of its device: the least of all shares. Ranks of a machine
/// with the same text share a device; one with an empty text shares none. All ranks call it.
std::int64_t share_of_device(ranks& all, std::int64_t bytes, const std::string& device);

/// Lets `cuda` and `auto` use the GPU of this rank's number on its machine, where several are visible.
void use_gpu_of(const ranks& all);

/// The threads for this rank where ranks may use the same processors. All ranks call it.
int share_of_threads(ranks& all);

}  // namespace macareu
