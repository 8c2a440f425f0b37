#include "catalogue/gpu_start_up.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <set>

namespace macareu {
namespace {

std::atomic<std::int64_t> taken = 0;

std::int64_t resident_bytes() {
  std::int64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

std::int64_t memory_taken_by(const std::function<void()>& work) {
  const auto before = resident_bytes();
  work();
  return std::max<std::int64_t>(0, resident_bytes() - before);
}

const cuda::gpu_list& gpus_of_machine() {
  static std::once_flag asked;
  std::call_once(asked, [] { taken += memory_taken_by([] { cuda::gpus_here(); }); });
  return cuda::gpus_here();
}

void start_gpu(int gpu) {
  static std::mutex guard;
  static std::set<int> started;
  const std::lock_guard lock(guard);
  if (started.contains(gpu)) return;
  taken += memory_taken_by([&] { cuda::free_memory(gpu); });
  started.insert(gpu);
}

std::int64_t gpu_start_up() { return taken; }

}  // namespace macareu
