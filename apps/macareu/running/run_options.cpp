#include "running/run_options.hpp"

#include <cerrno>
#include <cstdlib>

#include <algorithm>
#include <string>
#include <vector>

#include <macareu/catalogue.hpp>
#include <macareu/error.hpp>

#include "command/shared_ranks.hpp"
#include "command/text.hpp"

namespace macareu::tool {
namespace {

constexpr const char* group = "Running";
constexpr int most_threads = 4096;  // more is most likely a typing error

std::string device_names() {
  std::string names = "auto";
  for (const auto name : built_devices())
    names += "|" + std::string(name) + (name == "cuda" ? "|cuda:N[,cuda:M]" : "");
  return names;
}

/// "cpu: tiles, contraction"
std::string strategy_names(std::string_view pattern) {
  std::string text;
  for (const auto device : built_devices()) {
    std::vector<std::string> names;
    for (const auto name : strategies(device, pattern)) names.emplace_back(name);
    if (!names.empty()) text += "; on " + std::string(device) + ": " + joined(names, ", ");
  }
  return text;
}

/// "90s", "55m", "2h"
std::chrono::seconds duration(const std::string& text) {
  const auto unit = text.empty() ? ' ' : text.back();
  const int factor = unit == 's' ? 1 : unit == 'm' ? 60 : unit == 'h' ? 3600 : 0;
  if (factor == 0)
    throw usage_error("--stop-after: expected a time such as 90s, 55m or 2h, got " + in_quotes(text));
  return std::chrono::seconds(factor *
                              whole_number("--stop-after", text.substr(0, text.size() - 1), 1, 1'000'000));
}

/// The command again, with --resume. The program is called as it was.
std::string with_resume(std::vector<std::string> words) {
  if (std::ranges::find(words, "--resume") == words.end()) words.emplace_back("--resume");
  words.insert(words.begin(), program_invocation_name);
  return for_shell(words);
}

}  // namespace

void run_options::begin(interruption& signals) {
  continued_by = with_resume(signals.words());
  // Where libvips has its temporary files.
  if (!pieces.scratch.empty()) ::setenv("TMPDIR", pieces.scratch.c_str(), 1);
  if (stop_after.count() > 0) signals.stop_after(stop_after);
  auto* const all = shared_ranks();
  if (!all) return;
  pieces.shared_by = all;
  quiet = quiet || !all->is_first();
  const int share = share_of_threads(*all);  // an exchange, so all ranks take part
  if (how.threads == 0) how.threads = share;
  if (how.device == "auto" || how.device == "cuda") use_gpu_of(*all);
}

void run_options::add_limits_to(parser& options) {
  options.add({.group = group,
               .names = "--device",
               .value = device_names(),
               .help = "where to compute (default: auto)",
               .take = [this](const std::string& text) { how.device = text; }});
  options.add({.group = group,
               .names = "--threads",
               .value = "N",
               .help = "threads to use (default: what the machine allows; OMP_NUM_THREADS is respected)",
               .take = [this](const std::string& text) {
                 how.threads = static_cast<int>(whole_number("--threads", text, 1, most_threads));
               }});
  options.add({.group = group,
               .names = "--memory",
               .value = "SIZE",
               .help =
                   "memory to use: 4G, 500M (default: 70 % of what is free); larger images are computed in "
                   "pieces, with the same result; of each rank where several share a run",
               .take = [this](const std::string& text) { pieces.memory = memory_size("--memory", text); }});
  options.add(
      {.group = group,
       .names = "--gpu-memory",
       .value = "SIZE",
       .help = "memory of the GPU to use, likewise (default: what is free)",
       .take = [this](const std::string& text) { how.gpu_memory = memory_size("--gpu-memory", text); }});
  options.add({.group = group,
               .names = "--pieces",
               .value = "Z,Y,X",
               .help = "compute in pieces of this size: ROWS,COLUMNS or SLICES,ROWS,COLUMNS",
               .take = [this](const std::string& text) {
                 const auto size = shape_from("--pieces", text);
                 if (size.pixels() == 0)
                   throw usage_error("--pieces: expected sizes of at least 1, got " + in_quotes(text));
                 pieces.size = {size.depth(), size.height(), size.width()};
               }});
  options.add({.group = group,
               .names = "--scratch",
               .value = "DIRECTORY",
               .help = "where work files of pieces lie (default: beside the output)",
               .take = [this](const std::string& text) { pieces.scratch = text; }});
  options.add({.group = group,
               .names = "--ranks",
               .value = "N",
               .help = "processes of this machine that share a run in pieces, without mpirun (default: 1)",
               .take = [](const std::string& text) {
                 want_ranks(static_cast<int>(whole_number("--ranks", text, 1, most_forked_ranks)));
               }});
  options.add({.group = group,
               .names = "--stop-after",
               .value = "TIME",
               .help = "stop after 90s, 55m or 2h as a signal does; --resume continues",
               .take = [this](const std::string& text) { stop_after = duration(text); }});
  options.add({.group = group,
               .names = "--quiet",
               .help = "no progress bar and no times on stderr",
               .take = [this](const std::string&) { quiet = true; }});
}

void run_options::add_to(parser& options, std::string_view pattern) {
  add_limits_to(options);
  options.add({.group = group,
               .names = "--strategy",
               .value = "NAME",
               .help = "how to compute, where there are several ways" + strategy_names(pattern) +
                       " (default: auto); the result is the same unless the verb says otherwise",
               .take = [this](const std::string& text) { how.strategy = text; }});
  options.add({.group = group,
               .names = "--resume",
               .help = "continue a run in pieces that was stopped, with the same files and options",
               .take = [this](const std::string&) { pieces.resume = true; }});
  options.add({.group = group,
               .names = "--repeat",
               .value = "N",
               .help = "compute N times and report the median time (default: 1)",
               .take = [this](const std::string& text) {
                 repeat = static_cast<int>(whole_number("--repeat", text, 1, 1'000'000'000));
               }});
  options.add({.group = group,
               .names = "--report",
               .value = "FILE.json",
               .help = "write a report: device, strategy, shape, type, seconds, counters, memory",
               .take = [this](const std::string& text) { report_file = text; }});
}

}  // namespace macareu::tool
