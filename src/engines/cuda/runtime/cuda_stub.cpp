// A build without CUDA.
#include <new>

#include <macareu/device_memory.hpp>

#include "engines/cuda/component/block_times.hpp"
#include "engines/cuda/runtime/function.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "engines/cuda/runtime/shared_arrays.hpp"

namespace macareu::cuda {

const gpu_list& gpus_here() {
  static const gpu_list none{{}, "this build is without CUDA"};
  return none;
}

int current_gpu() { return 0; }
std::int64_t free_memory(int) { return 0; }

std::unique_ptr<loaded_function> load_function(job&, const std::string&) {
  throw device_error("cuda: " + gpus_here().problem);
}

int gpu_beside(const void*) { return -1; }
void* own_stream(int) { return nullptr; }
void follow(int, void*, void*) {}
void finish(int, void*) {}

shared_memory::shared_memory(int, void* stream, std::size_t bytes)
    : gpu_(-1), stream_(stream), data_(::operator new(bytes)) {}
shared_memory::~shared_memory() { ::operator delete(data_); }

}  // namespace macareu::cuda

namespace macareu::cuda::labels {

block_times& last_block_times() {
  static thread_local block_times none;
  return none;
}

}  // namespace macareu::cuda::labels

namespace macareu::device_memory {
namespace {

[[noreturn]] void refuse() { throw device_error("cuda: " + cuda::gpus_here().problem); }

}  // namespace

int current_gpu() { refuse(); }
void* allocate(std::size_t) { refuse(); }
void release(void*) noexcept {}
void copy_to_device(void*, const void*, std::size_t) { refuse(); }
void copy_to_host(void*, const void*, std::size_t) { refuse(); }
void wait() { refuse(); }

}  // namespace macareu::device_memory
