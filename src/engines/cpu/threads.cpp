#include "engines/cpu/threads.hpp"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

namespace macareu::cpu {
namespace {

constexpr std::int64_t pixels_worth_a_thread = 64 * 1024;

/// Processors that the cgroup's quota pays for; 0 where there is no quota.
double quota() {
  std::string period_text;
  double budget = 0, period = 0;
  if (std::ifstream file("/sys/fs/cgroup/cpu.max"); file >> period_text >> period && period_text != "max")
    return period > 0 ? std::atof(period_text.c_str()) / period : 0;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") >> budget;
  std::ifstream("/sys/fs/cgroup/cpu/cpu.cfs_period_us") >> period;
  return budget > 0 && period > 0 ? budget / period : 0;
}

int count_available() {
  if (std::getenv("OMP_NUM_THREADS")) return std::max(1, omp_get_max_threads());
  int count = omp_get_num_procs();
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = std::min(count, CPU_COUNT(&allowed));
#endif
  if (const double limit = quota(); limit > 0) count = std::min(count, static_cast<int>(std::ceil(limit)));
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
#pragma omp parallel num_threads(threads)
  body(omp_get_thread_num());
}

}  // namespace macareu::cpu
