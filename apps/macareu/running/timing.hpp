// Timing, and messages about a run.
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "outputs/json_report.hpp"
#include "running/run_options.hpp"

namespace macareu::tool {

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point begin_ = clock::now();
};

/// The times of a computation that runs --repeat times.
class repetition {
 public:
  std::size_t done() const { return seconds_.size(); }
  void add(const run_report& run);
  /// Writes the medians to the record.
  void tell(run_record& record) const;

 private:
  std::vector<double> seconds_, transfers_;
};

/// Prints to stderr why the run used another device than requested, unless --quiet is given.
void tell_note(std::string_view verb, const run_record& record, const run_options& running);
/// Prints the time to stderr if the computation was repeated and --quiet is not given.
void tell_time(std::string_view verb, const run_record& record, const run_options& running);

/// What this process does from the construction on.
class rank_watch {
 public:
  rank_watch();
  /// Of each rank where several share the command; all of them call it.
  std::vector<rank_record> of_all_ranks() const;

 private:
  static rank_record now();
  rank_record begin_;
};

}  // namespace macareu::tool
