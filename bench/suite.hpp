// What benchmark suites share: which cases run, timing, the table and the JSON report.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/image.hpp>

namespace macareu::bench {

struct options {
  int repeat = 0;      ///< runs of each case; 0: as many as the suite finds right
  bool quick = false;  ///< small images: to see that it works, not to measure
  std::string only;    ///< part of a case's name, or a pattern with * and ?; several with commas between
  std::filesystem::path data;
  std::filesystem::path save_inputs;  ///< a directory; empty: nowhere
};

/// The time a case must stay within on the GPU that the project measures on, and the one it aims at.
struct time_limit {
  double must_ms = 0;
  double goal_ms = 0;  ///< 0: none
};

/// Memory beyond inputs and outputs, in bytes a pixel: what a case must stay within, and what it aims at.
struct memory_limit {
  double must = 0;
  double goal = 0;
};

/// What a device did, in suites that compare devices and strategies.
struct device_run {
  std::string device;
  std::string strategy;
  std::string ran = {};  ///< what `auto` came to
  std::int64_t rounds = -1, tiles = -1, passes = -1;
  std::uint64_t hash = 0;       ///< of the output's bytes
  std::string checked_by = {};  ///< the device whose output has to have the same hash
  bool equal = true;
  bool transfers = false;  ///< whether images come from host memory and go back there
  double compute_ms = 0;   ///< of the last run, by its report: without transfers
  double transfer_ms = 0;
  std::optional<double> from_idle_ms = {};  ///< a GPU's time and the host's before its first launch
  std::optional<double> kernels_ms = {}, merging_ms = {};  ///< in blocks, where these and transfers overlap
  double published_ms = 0;  ///< what the published megapixel code takes on the same GPU; 0: not known
  std::optional<time_limit> limit = {};
  std::optional<memory_limit> extra_limit = {};
  std::optional<double> of_better = {};  ///< `auto`: its time by that of the better of tiles and contraction
  std::optional<double> largest_error = {};  ///< of approximate results, against the exact ones
  std::string failure = {};                  ///< instead of times
};

/// A case beside busy processes; of several threads also by the times of one thread beside the same.
struct shared_machine {
  int busy = 0;
  double p90_ms = 0;  ///< of ten runs nine take no longer
  std::optional<double> median_of_one = {}, p90_of_one = {};
};

struct result {
  std::string name;
  std::string operation;
  std::string instance;
  extents shape;
  dtype type = dtype::u8;
  int neighbours = 0;
  int threads = 0;
  int runs = 0;
  double median_ms = 0;
  double least_ms = 0;
  std::int64_t sum = 0;  ///< of the output
  /// Memory beyond inputs and output, where the case measures that, instead of time or beside it.
  std::optional<std::int64_t> extra_bytes = {};
  std::optional<device_run> run = {};
  std::optional<shared_machine> shared = {};
};

/// Calls `run`, which gives its time in milliseconds, to warm up and then up to `repeat` times, fewer where
/// that would take longer than `most_ms`. A run too long for a second one counts as it is.
void take_times(result& about, int repeat, double most_ms, const std::function<double()>& run);
double milliseconds(const std::function<void()>& run);

/// One run of a suite: it prints a row for every case as it ends, and keeps the results.
class recorder {
 public:
  recorder(options chosen, std::ostream& table);

  const options& chosen() const { return chosen_; }
  const std::vector<result>& results() const { return results_; }
  bool wants(const std::string& name) const;

  int repeat(int usual) const { return chosen_.repeat > 0 ? chosen_.repeat : usual; }

  /// Warms up and takes times of `run`; fills them in.
  void time(result about, const std::function<void()>& run, const image& output);
  /// Calls `run` once; fills in the memory it takes.
  void measure_memory(result about, const std::function<void()>& run, const image& output);
  /// Where the suite has measured by itself.
  void keep(result done);
  /// A line between the rows.
  void say(const std::string& line);

 private:
  options chosen_;
  std::ostream& table_;
  std::vector<result> results_;
};

struct suite {
  std::string_view name;
  std::string_view brief;
  void (*run)(recorder& to);
};

std::span<const suite> suites();

/// The report: suite, commit, machine, compiler and one object per case. Nothing in it depends on the date.
std::string to_json(const suite& about, const recorder& done);

void run_canny(recorder& to);
void run_contention(recorder& to);
void run_distance(recorder& to);
void run_reconstruct(recorder& to);
void run_wave(recorder& to);
void run_patterns(recorder& to);
void run_label(recorder& to);

}  // namespace macareu::bench
