#include "engines/cuda/runtime/zeroed_memory.cuh"
#include "engines/cuda/tuning.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

namespace macareu::cuda {
namespace {

struct free_list {
  std::mutex using_it;
  std::vector<zeroed_memory::block> blocks;
};

free_list& kept() {
  static free_list all;
  return all;
}

/// The smallest sufficient block, if it is not much larger.
zeroed_memory::block take_kept(int gpu, std::int64_t bytes) {
  auto& [using_it, blocks] = kept();
  const std::lock_guard lock(using_it);
  auto best = blocks.end();
  for (auto i = blocks.begin(); i != blocks.end(); ++i)
    if (i->gpu == gpu && i->bytes >= bytes && i->bytes / tuning::zeroed_excess <= bytes &&
        (best == blocks.end() || i->bytes < best->bytes))
      best = i;
  if (best == blocks.end()) return {};
  const auto found = *best;
  blocks.erase(best);
  return found;
}

/// False if the list would exceed `most` bytes.
bool keep(const zeroed_memory::block& used, std::int64_t most = tuning::most_zeroed_kept) {
  auto& [using_it, blocks] = kept();
  const std::lock_guard lock(using_it);
  std::int64_t all = used.bytes;
  for (const auto& each : blocks) all += each.bytes;
  if (all > most) return false;
  blocks.push_back(used);
  return true;
}

}  // namespace

zeroed_memory::zeroed_memory(const gpu& on, std::int64_t bytes)
    : stream_(on.stream), block_(take_kept(on.number, bytes)) {
  if (block_.data) {
    if (const auto code = cudaStreamWaitEvent(stream_, block_.used); code != cudaSuccess) {
      keep(block_, std::numeric_limits<std::int64_t>::max());  // still zeroed
      check(code, "cudaStreamWaitEvent");
    }
    return;
  }
  device_array<std::byte> fresh(on, bytes);
  fresh.fill_bytes(0);
  cudaEvent_t used;
  check(cudaEventCreateWithFlags(&used, cudaEventDisableTiming), "cudaEventCreate");
  block_ = {on.number, fresh.release(), bytes, used};
}

zeroed_memory::~zeroed_memory() { free(); }

void zeroed_memory::launched() const { check(cudaEventRecord(block_.used, stream_), "cudaEventRecord"); }

void zeroed_memory::give_back() {
  if (keep(block_))
    block_ = {};
  else
    free();
}

void zeroed_memory::free() {
  if (!block_.data) return;
  cudaFreeAsync(block_.data, stream_);
  cudaEventDestroy(block_.used);
  block_ = {};
}

}  // namespace macareu::cuda
