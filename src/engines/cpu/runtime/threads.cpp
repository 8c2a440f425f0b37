#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/tuning.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace macareu::cpu {
namespace {

/// The processors that the quota of one cgroup allows; empty without a quota.
std::optional<double> quota_of(const std::filesystem::path& group) {
  std::string budget;
  double period = 0;
  if (std::ifstream file(group / "cpu.max"); file >> budget >> period && budget != "max" && period > 0)
    return std::atof(budget.c_str()) / period;
  double old_budget = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> old_budget;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  if (old_budget > 0 && period > 0) return old_budget / period;
  return std::nullopt;
}

/// The least quota of this process's cgroup and its ancestors. Version 2 lists the cgroup as "0::/path". For
/// version 1 the root is read, which in a container is the process's own cgroup.
std::optional<double> quota() {
  const std::filesystem::path root = "/sys/fs/cgroup";
  std::optional<double> least = quota_of(root / "cpu");
  std::string line;
  for (std::ifstream groups("/proc/self/cgroup"); std::getline(groups, line);)
    if (line.starts_with("0::/")) break;
  std::filesystem::path group = root / (line.starts_with("0::/") ? line.substr(4) : "");
  for (;; group = group.parent_path()) {
    if (const auto found = quota_of(group)) least = std::min(least.value_or(*found), *found);
    if (group == root || group == group.parent_path()) return least;
  }
}

int count_available() {
  // A list has one number per level of nesting; the first one counts.
  if (const char* wanted = std::getenv("OMP_NUM_THREADS"))
    if (const int count = std::atoi(wanted); count > 0) return count;
  int count = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = CPU_COUNT(&allowed);
#endif
  if (const auto limit = quota()) count = std::min(count, static_cast<int>(std::ceil(*limit)));
  return std::max(1, count);
}

}  // namespace

int available_threads() {
  static const int count = count_available();
  return count;
}

int threads_for(std::int64_t pixels, int asked) {
  if (asked > 0) return asked;
  return pixels < tuning::pixels_worth_a_thread ? 1 : available_threads();
}

}  // namespace macareu::cpu
