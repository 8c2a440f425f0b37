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
  int repeat = 7;
  bool quick = false;  ///< small images: to see that it works, not to measure
  std::string only;    ///< part of a case's name, or a pattern with * and ?
  std::filesystem::path data;
  std::filesystem::path save_inputs;  ///< a directory; empty: nowhere
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
  /// Memory beyond inputs and output, where the case measures that instead of time.
  std::optional<std::int64_t> extra_bytes = {};
};

/// One run of a suite: it prints a row for every case as it ends, and keeps the results.
class recorder {
 public:
  recorder(options chosen, std::ostream& table);

  const options& chosen() const { return chosen_; }
  const std::vector<result>& results() const { return results_; }
  bool wants(const std::string& name) const;

  /// Calls `run` once to warm up and then up to `repeat` times, fewer where it is slow; fills in the times.
  void time(result about, const std::function<void()>& run, const image& output);
  /// Calls `run` once; fills in the memory it takes.
  void measure_memory(result about, const std::function<void()>& run, const image& output);

 private:
  void keep(result done, const image& output);

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

void run_reconstruct(recorder& to);

}  // namespace macareu::bench
