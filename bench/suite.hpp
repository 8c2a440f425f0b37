// Shared code of the benchmark suites: selection of cases, timing, the table and the JSON report.
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
  int repeat = 0;      ///< runs per case; 0: the default of the suite
  bool quick = false;  ///< small images: a quick test, not a measurement
  std::string only;    ///< parts of case names, or patterns with * and ?, separated by commas
  std::filesystem::path data;
  std::filesystem::path save_inputs;  ///< a directory; empty: inputs are not saved
};

/// The threshold and the goal for the time of a case, on the project's reference GPU.
struct time_limit {
  double must_ms = 0;
  double goal_ms = 0;  ///< 0: none
};

/// The threshold and the goal for memory beyond inputs and outputs, in bytes per pixel.
struct memory_limit {
  double must = 0;
  double goal = 0;
};

/// A run on one device, in suites that compare devices and strategies.
struct device_run {
  std::string device;
  std::string strategy;
  std::string ran = {};  ///< the strategy that `auto` chose
  std::int64_t rounds = -1, tiles = -1, passes = -1;
  std::uint64_t hash = 0;       ///< of the output's bytes
  std::string checked_by = {};  ///< the device whose output must have the same hash
  bool equal = true;
  bool transfers = false;  ///< whether the run copies images from and to host memory
  double compute_ms = 0;   ///< of the last run, from its report, without transfers
  double transfer_ms = 0;
  std::optional<double> from_idle_ms = {};  ///< GPU time plus host time before the first launch
  double published_ms = 0;                  ///< of the published megapixel code on the same GPU; 0: unknown
  std::optional<time_limit> limit = {};
  std::optional<memory_limit> extra_limit = {};
  std::optional<double> of_better = {};  ///< `auto`: its time / that of the better of tiles and contraction
  std::optional<double> largest_error = {};  ///< of approximate results, against the exact ones
  std::string failure = {};                  ///< the message, if there are no times
};

/// A case beside busy processes. Cases with several threads also have the ratio to one thread.
struct shared_machine {
  int busy = 0;
  double p90_ms = 0;  ///< 90th percentile
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
  /// Memory beyond inputs and output, if the case measures it.
  std::optional<std::int64_t> extra_bytes = {};
  std::optional<device_run> run = {};
  std::optional<shared_machine> shared = {};
};

/// Calls `run`, which returns its time in milliseconds: warm-up, then up to `repeat` runs within `most_ms`.
/// If the first run leaves no time for a second, it counts.
void take_times(result& about, int repeat, double most_ms, const std::function<double()>& run);
double milliseconds(const std::function<void()>& run);

/// One run of a suite. Prints a row after every case and keeps the results.
class recorder {
 public:
  recorder(options chosen, std::ostream& table);

  const options& chosen() const { return chosen_; }
  const std::vector<result>& results() const { return results_; }
  bool wants(const std::string& name) const;

  int repeat(int usual) const { return chosen_.repeat > 0 ? chosen_.repeat : usual; }

  /// Warms up, times `run` and records the result.
  void time(result about, const std::function<void()>& run, const image& output);
  /// Calls `run` once and records its memory.
  void measure_memory(result about, const std::function<void()>& run, const image& output);
  /// Records a result that the suite measured itself.
  void keep(result done);
  /// Prints a line between the rows.
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
