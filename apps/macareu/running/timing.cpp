#include "running/timing.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "command/shared_ranks.hpp"
#include "command/text.hpp"

namespace macareu::tool {
namespace {

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

void repetition::add(const run_report& run) {
  seconds_.push_back(run.compute_seconds);
  transfers_.push_back(run.transfer_seconds);
}

void repetition::tell(run_record& record) const {
  record.compute_seconds = median(seconds_);
  record.transfer_seconds = median(transfers_);
}

rank_watch::rank_watch() : begin_(now()) {}

rank_record rank_watch::now() {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto* const group = shared_ranks();
  return {
      .bytes_up = group ? group->bytes_up() : 0,
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(),
      .waiting = group ? group->seconds_waiting() : 0,
      .user = seconds(used.ru_utime),
      .system = seconds(used.ru_stime)};
}

std::vector<rank_record> rank_watch::of_all_ranks() const {
  auto own = now();
  own.bytes_up -= begin_.bytes_up;
  own.seconds -= begin_.seconds;
  own.waiting -= begin_.waiting;
  own.user -= begin_.user;
  own.system -= begin_.system;
  if (!shared_ranks()) return {own};
  std::vector<rank_record> all;
  for (const auto& told : shared_ranks()->gather({reinterpret_cast<const char*>(&own), sizeof own}))
    told.copy(reinterpret_cast<char*>(&all.emplace_back()), sizeof own);
  return all;
}

void tell_note(std::string_view verb, const run_record& record, const run_options& running) {
  if (!running.quiet && !record.run.note.empty())
    std::fprintf(stderr, "macareu: %s: %s\n", std::string(verb).c_str(), one_line(record.run.note).c_str());
}

void tell_time(std::string_view verb, const run_record& record, const run_options& running) {
  if (running.quiet || running.repeat == 1) return;
  const auto where = record.run.device + (record.run.strategy.empty() ? "" : ", " + record.run.strategy);
  const auto milliseconds = [](double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f ms", 1e3 * seconds);
    return std::string(text);
  };
  const auto transfers = record.transfer_seconds > 0
                             ? " and " + milliseconds(record.transfer_seconds) + " of transfers"
                             : std::string();
  std::fprintf(stderr, "%s: %s %s on %s: %s%s, median of %d\n", std::string(verb).c_str(),
               to_string(record.shape).c_str(), std::string(name_of(record.type)).c_str(), where.c_str(),
               milliseconds(record.compute_seconds).c_str(), transfers.c_str(), running.repeat);
}

}  // namespace macareu::tool
