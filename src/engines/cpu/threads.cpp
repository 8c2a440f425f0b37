#include "engines/cpu/threads.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>

namespace macareu::cpu {
namespace {

constexpr std::int64_t pixels_worth_a_thread = 64 * 1024;

/// Processors that one cgroup's quota pays for; none where it has no quota.
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

/// The least of this process's cgroup and those above it. Version 2 lists it as "0::/path"; version 1 is
/// asked at its root, which is the process's own in a container.
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
  if (std::getenv("OMP_NUM_THREADS")) return std::max(1, omp_get_max_threads());
  int count = omp_get_num_procs();
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = std::min(count, CPU_COUNT(&allowed));
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
  return pixels < pixels_worth_a_thread ? 1 : available_threads();
}

void parallel(int threads, const std::function<void(int)>& body) {
  static std::atomic<pid_t> owner_of_pool{0};
  if (threads > 1) {
    pid_t nobody = 0;
    owner_of_pool.compare_exchange_strong(nobody, getpid());
  }
  if (threads <= 1 || owner_of_pool != getpid()) return body(0);
  std::exception_ptr failure;
  std::mutex failing;
#pragma omp parallel num_threads(threads)
  try {
    body(omp_get_thread_num());
  } catch (...) {
    const std::lock_guard lock(failing);
    failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace macareu::cpu
