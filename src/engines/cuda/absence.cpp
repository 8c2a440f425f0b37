// A build without CUDA.
#include "engines/cuda/labels/block_times.hpp"
#include "engines/cuda/presence.hpp"

namespace macareu::cuda {

const gpu_list& gpus_here() {
  static const gpu_list none{{}, "this build is without CUDA"};
  return none;
}

int current_gpu() { return 0; }
std::int64_t free_memory(int) { return 0; }
memory_place place_of(const void*) { return {}; }

}  // namespace macareu::cuda

namespace macareu::cuda::labels {

block_times& last_block_times() {
  static thread_local block_times none;
  return none;
}

}  // namespace macareu::cuda::labels
