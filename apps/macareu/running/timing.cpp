#include "running/timing.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

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
