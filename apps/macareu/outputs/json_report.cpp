#include "outputs/json_report.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include <macareu/version.hpp>

namespace macareu::tool {
namespace {

using json = nlohmann::ordered_json;

/// The peak resident memory of the process, in bytes. getrusage() would count the process that started it.
std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(line.find(':') + 1)) * 1024;
  return 0;
}

void add_counter(json& object, const char* name, std::int64_t value) {
  if (value >= 0) object[name] = value;
}

json value_of(const argument& given) {
  struct {
    json operator()(bool value) const { return value; }
    json operator()(const number& value) const {
      return std::visit([](auto exact) { return json(exact); }, value.value());
    }
    json operator()(const std::string& value) const { return value; }
    json operator()(const connectivity& value) const { return value.name(); }
    json operator()(const std::vector<number>& values) const {
      auto list = json::array();
      for (const auto& value : values) list.push_back((*this)(value));
      return list;
    }
    json operator()(const std::vector<interval>& values) const {
      auto list = json::array();
      for (const auto& [low, high] : values) list.push_back({(*this)(low), (*this)(high)});
      return list;
    }
  } convert;
  return std::visit(convert, given);
}

}  // namespace

arguments with_defaults(const operator_description& about, arguments given) {
  for (const auto& parameter : about.parameters)
    if (!given.contains(parameter.name))
      given.emplace(parameter.name, parse_argument(parameter, parameter.default_text));
  return given;
}

std::string to_json(const argument& value) { return value_of(value).dump(); }

std::string to_json(const run_record& record) {
  json object;
  object["operator"] = record.name;
  object["version"] = version;
  object["parameters"] = json::object();
  for (const auto& [name, value] : record.parameters) object["parameters"][name] = value_of(value);
  object["device"] = record.run.device;
  // A device with a single strategy has no name for it.
  object["strategy"] = record.run.strategy.empty() ? json(nullptr) : json(record.run.strategy);
  object["threads"] = record.run.threads;
  object["shape"] = json::array();
  for (int axis = 0; axis < record.shape.rank(); ++axis) object["shape"].push_back(record.shape[axis]);
  object["dtype"] = name_of(record.type);
  object["repeat"] = record.repeat;
  if (!record.run.note.empty()) object["note"] = record.run.note;
  const double total =
      record.read_seconds + record.transfer_seconds + record.compute_seconds + record.write_seconds;
  object["seconds"] = {{"read", record.read_seconds},
                       {"transfer", record.transfer_seconds},
                       {"compute", record.compute_seconds},
                       {"write", record.write_seconds},
                       {"total", total}};
  add_counter(object, "rounds", record.run.rounds);
  add_counter(object, "tiles", record.run.tiles);
  add_counter(object, "passes", record.run.passes);
  add_counter(object, "count", record.run.count);
  if (record.pieces) {
    const auto& pieces = *record.pieces;
    object["pieces"] = {{"size", pieces.piece},
                        {"passes", pieces.passes},
                        {"visited", pieces.pieces},
                        {"solved_again", pieces.solved_again},
                        {"found_finished", pieces.found},
                        {"bytes_read", pieces.bytes_read},
                        {"bytes_written", pieces.bytes_written},
                        {"scratch_read", pieces.scratch_read},
                        {"scratch_written", pieces.scratch_written}};
  }
  if (!record.ranks.empty())
    object["processor"] = {{"user", record.ranks[0].user}, {"system", record.ranks[0].system}};
  if (record.ranks.size() > 1) {
    auto each = json::array();
    std::int64_t most = 0;
    for (const auto& rank : record.ranks) {
      most = std::max(most, rank.bytes_up);
      each.push_back({{"bytes_up", rank.bytes_up},
                      {"seconds", rank.seconds},
                      {"waiting", rank.waiting},
                      {"user", rank.user},
                      {"system", rank.system}});
    }
    object["ranks"] = {{"count", record.ranks.size()}, {"most_bytes_up", most}, {"each", each}};
  }
  object["peak_memory"] = peak_memory();
  add_counter(object, "gpu_start_up_memory", record.run.gpu_start_up);
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace macareu::tool
