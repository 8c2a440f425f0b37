#include "suite.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <thread>

#include <nlohmann/json.hpp>

#include <macareu/error.hpp>
#include <macareu/machine.hpp>
#include <macareu/version.hpp>

#include "machine.hpp"
#include "memory.hpp"

namespace macareu::bench {
namespace {

using clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

/// Spent on one case at most, unless a single run takes longer.
constexpr double most_ms = 8000;

constexpr std::array all_suites{
    suite{"reconstruct", "reconstruction, fill holes and h-maxima: images, types, threads, memory",
          run_reconstruct}};

double milliseconds(const std::function<void()>& run) {
  const auto begin = clock::now();
  run();
  return std::chrono::duration<double, std::milli>(clock::now() - begin).count();
}

template <class T>
std::int64_t sum_of(const image& pixels) {
  std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t> sum = 0;
  for (const T value : pixels.pixels<T>()) sum += value;
  return static_cast<std::int64_t>(sum);
}

/// Images here hold whole numbers, whatever their type.
std::int64_t checksum(const image& pixels) {
  switch (pixels.type()) {
    case dtype::boolean:
      return sum_of<bool>(pixels);
    case dtype::u8:
      return sum_of<std::uint8_t>(pixels);
    case dtype::u16:
      return sum_of<std::uint16_t>(pixels);
    case dtype::f32:
      return sum_of<float>(pixels);
    default:
      throw internal_error("bench: no checksum for pixels of " + std::string(name_of(pixels.type())));
  }
}

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string row(const result& r) {
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
    text += "memory is not told by this system";
  return text;
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
  return object;
}

}  // namespace

std::span<const suite> suites() { return all_suites; }

recorder::recorder(options chosen, std::ostream& table) : chosen_(std::move(chosen)), table_(table) {}

bool recorder::wants(const std::string& name) const {
  return chosen_.only.empty() || fnmatch(("*" + chosen_.only + "*").c_str(), name.c_str(), 0) == 0;
}

void recorder::time(result about, const std::function<void()>& run, const image& output) {
  const auto warm_up = milliseconds(run);
  const auto affordable = static_cast<int>(std::min(1e6, most_ms / std::max(warm_up, 1e-3)));
  std::vector<double> times(static_cast<std::size_t>(std::clamp(affordable, 1, chosen_.repeat)));
  for (auto& each : times) each = milliseconds(run);
  std::ranges::sort(times);
  about.runs = static_cast<int>(times.size());
  about.least_ms = times.front();
  about.median_ms = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
  keep(std::move(about), output);
}

void recorder::measure_memory(result about, const std::function<void()>& run, const image& output) {
  about.extra_bytes = peak_rise(run);
  keep(std::move(about), output);
}

void recorder::keep(result done, const image& output) {
  done.sum = checksum(output);
  if (results_.empty())
    table_ << format("%-32s %-16s %-5s %3s %3s %4s %10s %10s %8s %14s\n", "case", "shape", "type", "n", "thr",
                     "runs", "median ms", "min ms", "ns/px", "sum");
  table_ << row(done) << std::endl;
  results_.push_back(std::move(done));
}

std::string to_json(const suite& about, const recorder& done) {
  const auto machine = this_machine();
  json report{{"suite", about.name}, {"version", version}, {"commit", commit()}, {"compiler", compiler()}};
  report["machine"] = {{"processor", processor()},
                       {"cores", std::thread::hardware_concurrency()},
                       {"threads", machine.threads},
                       {"instruction_set", machine.instruction_set}};
  report["quick"] = done.chosen().quick;
  report["cases"] = json::array();
  for (const auto& each : done.results()) report["cases"].push_back(object_of(each));
  return report.dump(2) + "\n";
}

}  // namespace macareu::bench
