#include "suite.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <sstream>
#include <thread>
#include <utility>

#include <nlohmann/json.hpp>

#include <macareu/error.hpp>
#include <macareu/machine.hpp>
#include <macareu/version.hpp>

#include "checksum.hpp"
#include "machine.hpp"
#include "memory.hpp"

namespace macareu::bench {
namespace {

using clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

constexpr int usual_repeat = 7;
/// Time budget per case, unless a single run takes longer.
constexpr double usual_most_ms = 8000;

constexpr std::array all_suites{
    suite{"reconstruct", "reconstruction, fill holes and h-maxima: images, types, threads, memory",
          run_reconstruct},
    suite{"wave", "reconstruction by every strategy of a GPU, against the papers: images, types, slides",
          run_wave},
    suite{"distance", "distance transforms, exact and by propagation (paper 1): images, volumes, options",
          run_distance},
    suite{"label", "objects of tissue, random images, mazes, and the volumes of paper 3", run_label},
    suite{"canny", "edges as ITK and scikit-image find them: the sizes of paper 5, and larger images",
          run_canny},
    suite{"contention", "one thread and all threads beside busy processes, in turn", run_contention},
    suite{"patterns", "threshold, sobel, statistics, histogram: figure 5 of paper 4; and what must hold",
          run_patterns}};

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

constexpr auto heading = "%-32s %-16s %-5s %3s %3s %4s %10s %10s %8s %14s\n";

std::string plain_heading() {
  return format(heading, "case", "shape", "type", "n", "thr", "runs", "median ms", "min ms", "ns/px", "sum");
}

std::string plain_row(const result& r) {
  const auto pixels = static_cast<double>(r.shape.pixels());
  auto text = format("%-32s %-16s %-5s %3d %3d ", r.name.c_str(), to_string(r.shape).c_str(),
                     std::string(name_of(r.type)).c_str(), r.neighbours, r.threads);
  if (r.runs > 0)
    text += format("%4d %10.3f %10.3f %8.3f %14lld", r.runs, r.median_ms, r.least_ms,
                   1e6 * r.median_ms / pixels, static_cast<long long>(r.sum));
  else if (r.extra_bytes)
    text +=
        format("%.1f MiB beyond inputs and output, %.3f bytes per pixel",
               static_cast<double>(*r.extra_bytes) / (1 << 20), static_cast<double>(*r.extra_bytes) / pixels);
  else
    text += "the system does not report memory";
  if (r.shared) text += format("  p90 %.3f ms", r.shared->p90_ms);
  if (r.shared && r.shared->median_of_one)
    text +=
        format("; of one thread's: median %.2f, p90 %.2f", *r.shared->median_of_one, *r.shared->p90_of_one);
  return text;
}

constexpr auto run_columns = "%-36s %-17s %4s %10s %10s %8s %8s %5s %9s %9s %11s %10s  %s";

std::string run_heading() {
  return format(run_columns, "case", "shape", "runs", "median ms", "min ms", "ns/px", "must", "holds",
                "of better", "rounds", "tiles", "passes", "check\n");
}

std::string count_text(std::int64_t count) { return count < 0 ? "" : std::to_string(count); }

std::string check_text(const device_run& run) {
  if (run.largest_error) return format("error at most %.5f", *run.largest_error);
  if (run.checked_by.empty()) return {};
  return (run.equal ? "as " : "NOT AS ") + run.checked_by + (run.ran.empty() ? "" : " (" + run.ran + ")");
}

/// Memory beyond inputs and output, with the threshold if there is one.
std::string memory_text(const result& r) {
  if (!r.extra_bytes) return {};
  const auto bytes = static_cast<double>(*r.extra_bytes) / static_cast<double>(r.shape.pixels());
  const auto& limit = r.run->extra_limit;
  return format("; %.3f bytes a pixel", bytes) +
         (limit ? format(" (must %.0f: %s)", limit->must, bytes <= limit->must ? "yes" : "NO") : "");
}

std::string run_row(const result& r) {
  const auto& run = *r.run;
  const auto shape = to_string(r.shape);
  if (!run.failure.empty())
    return format("%-36s %-17s failed: ", r.name.c_str(), shape.c_str()) + run.failure;
  const auto number = [](const char* pattern, double value) { return format(pattern, value); };
  return format(run_columns, r.name.c_str(), shape.c_str(), std::to_string(r.runs).c_str(),
                number("%.4f", r.median_ms).c_str(), number("%.4f", r.least_ms).c_str(),
                number("%.4f", 1e6 * r.median_ms / static_cast<double>(r.shape.pixels())).c_str(),
                run.limit ? number("%.3f", run.limit->must_ms).c_str() : "",
                !run.limit                          ? ""
                : r.median_ms <= run.limit->must_ms ? "yes"
                                                    : "NO",
                run.of_better ? number("%.2f", *run.of_better).c_str() : "", count_text(run.rounds).c_str(),
                count_text(run.tiles).c_str(), count_text(run.passes).c_str(),
                (check_text(run) + memory_text(r)).c_str());
}

void add_run(json& object, const device_run& run) {
  object["device"] = run.device;
  object["strategy"] = run.strategy;
  object["transfers"] = run.transfers;
  if (run.published_ms > 0) object["published_ms"] = run.published_ms;
  if (run.limit) object["must_ms"] = run.limit->must_ms;
  if (run.limit && run.limit->goal_ms > 0) object["goal_ms"] = run.limit->goal_ms;
  if (run.extra_limit) {
    object["must_extra_bytes_per_pixel"] = run.extra_limit->must;
    object["goal_extra_bytes_per_pixel"] = run.extra_limit->goal;
  }
  if (!run.failure.empty()) {
    object["failure"] = run.failure;
    return;
  }
  if (!run.ran.empty()) object["ran"] = run.ran;
  if (run.of_better) object["of_better"] = *run.of_better;
  for (const auto& [name, count] :
       {std::pair{"rounds", run.rounds}, {"tiles", run.tiles}, {"passes", run.passes}})
    if (count >= 0) object[name] = count;
  if (run.transfers) {
    object["compute_ms"] = run.compute_ms;
    object["transfer_ms"] = run.transfer_ms;
  }
  if (run.from_idle_ms) object["from_idle_ms"] = *run.from_idle_ms;
  if (run.largest_error) object["largest_error"] = *run.largest_error;
  if (run.checked_by.empty()) return;
  object["hash"] = format("%016llx", static_cast<unsigned long long>(run.hash));
  object["checked_by"] = run.checked_by;
  object["equal"] = run.equal;
}

json object_of(const result& r) {
  json object{{"name", r.name}, {"operation", r.operation}, {"instance", r.instance}};
  object["shape"] = json::array();
  for (int axis = 0; axis < r.shape.rank(); ++axis) object["shape"].push_back(r.shape[axis]);
  object["dtype"] = name_of(r.type);
  object["connectivity"] = r.neighbours;
  object["threads"] = r.threads;
  object["sum"] = r.sum;
  const auto pixels = static_cast<double>(r.shape.pixels());
  if (r.runs > 0) {
    object["runs"] = r.runs;
    object["median_ms"] = r.median_ms;
    object["min_ms"] = r.least_ms;
    object["ns_per_pixel"] = 1e6 * r.median_ms / pixels;
  }
  if (r.extra_bytes) {
    object["extra_bytes"] = *r.extra_bytes;
    object["extra_bytes_per_pixel"] = static_cast<double>(*r.extra_bytes) / pixels;
  }
  if (r.shared) {
    object["busy_processes"] = r.shared->busy;
    object["p90_ms"] = r.shared->p90_ms;
    if (r.shared->median_of_one) object["median_of_one_thread"] = *r.shared->median_of_one;
    if (r.shared->p90_of_one) object["p90_of_one_thread"] = *r.shared->p90_of_one;
  }
  if (r.run) add_run(object, *r.run);
  return object;
}

/// Returns the time of the last run. The first run in a process may load code and allocate memory, and an
/// idle GPU takes a while to reach its clock.
double warm_up(double most_ms, const std::function<double()>& run) {
  constexpr double least_ms = 5;
  auto last = run();
  if (last > most_ms / 2) return last;
  double spent = 0;
  while (spent < least_ms) spent += last = std::max(run(), 1e-3);
  return last;
}

json machine_object() {
  const auto machine = this_machine();
  json object{{"processor", processor()},
              {"cores", std::thread::hardware_concurrency()},
              {"threads", machine.threads},
              {"instruction_set", machine.instruction_set}};
  for (const auto& gpu : machine.gpus)
    object["gpus"].push_back(
        {{"name", gpu.name},
         {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
         {"memory", gpu.memory}});
  return object;
}

}  // namespace

double milliseconds(const std::function<void()>& run) {
  const auto begin = clock::now();
  run();
  return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

void take_times(result& about, int repeat, double most_ms, const std::function<double()>& run) {
  const auto last = warm_up(most_ms, run);
  std::vector<double> times{last};
  if (const auto affordable = std::min(most_ms / std::max(last, 1e-3), 1e6); affordable >= 1) {
    times.resize(static_cast<std::size_t>(std::min(static_cast<int>(affordable), repeat)));
    std::ranges::generate(times, run);
  }
  std::ranges::sort(times);
  about.runs = static_cast<int>(times.size());
  about.least_ms = times.front();
  about.median_ms = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
}

std::span<const suite> suites() { return all_suites; }

recorder::recorder(options chosen, std::ostream& table) : chosen_(std::move(chosen)), table_(table) {}

bool recorder::wants(const std::string& name) const {
  if (chosen_.only.empty()) return true;
  std::istringstream patterns(chosen_.only);
  for (std::string each; std::getline(patterns, each, ',');)
    if (fnmatch(("*" + each + "*").c_str(), name.c_str(), 0) == 0) return true;
  return false;
}

void recorder::time(result about, const std::function<void()>& run, const image& output) {
  take_times(about, repeat(usual_repeat), usual_most_ms, [&] { return milliseconds(run); });
  about.sum = checksum_of(output).sum;
  keep(std::move(about));
}

void recorder::measure_memory(result about, const std::function<void()>& run, const image& output) {
  about.extra_bytes = peak_rise(run);
  about.sum = checksum_of(output).sum;
  keep(std::move(about));
}

void recorder::keep(result done) {
  if (results_.empty()) table_ << (done.run ? run_heading() : plain_heading());
  table_ << (done.run ? run_row(done) : plain_row(done)) << std::endl;
  results_.push_back(std::move(done));
}

void recorder::say(const std::string& line) { table_ << line << std::endl; }

std::string to_json(const suite& about, const recorder& done) {
  json report{{"suite", about.name}, {"version", version}, {"commit", commit()}, {"compiler", compiler()}};
  report["machine"] = machine_object();
  if (report["machine"].contains("gpus")) report["gpu_stream"] = "busy";  // before each call that is timed
  report["quick"] = done.chosen().quick;
  report["cases"] = json::array();
  for (const auto& each : done.results()) report["cases"].push_back(object_of(each));
  return report.dump(2) + "\n";
}

}  // namespace macareu::bench
