#include "engines/cuda/runtime/shared_arrays.hpp"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <new>
#include <string>

#include "engines/cuda/runtime/check.hpp"
#include "engines/cuda/runtime/current_device.hpp"
#include "engines/cuda/runtime/memory_pool.hpp"
#include "engines/cuda/runtime/presence.hpp"

namespace macareu::cuda {
namespace {

bool is_here(int gpu) { return gpu >= 0 && static_cast<std::size_t>(gpu) < gpus_here().gpus.size(); }

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

class event {
 public:
  event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  ~event() { cudaEventDestroy(event_); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

int gpu_beside(const void* data) {
  const auto place = place_of(data);
  if (place.kind != memory_kind::host) return place.gpu;
  return gpus_here().gpus.empty() ? -1 : current_gpu();
}

void* own_stream(int gpu) {
  if (!is_here(gpu)) return nullptr;
  static std::mutex making;
  static auto& streams = *new std::map<int, cudaStream_t>;  // never destroyed: the driver may be gone before
  const std::lock_guard lock(making);
  if (const auto found = streams.find(gpu); found != streams.end()) return found->second;
  const current_device here(gpu);
  cudaStream_t stream{};
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  streams.emplace(gpu, stream);
  return stream;
}

void follow(int gpu, void* stream, void* other) {
  if (!is_here(gpu)) return;
  const current_device here(gpu);
  const event reached;
  check(cudaEventRecord(reached, stream_of(other)), "cudaEventRecord");
  check(cudaStreamWaitEvent(stream_of(stream), reached, 0), "cudaStreamWaitEvent");
}

void finish(int gpu, void* stream) {
  if (!is_here(gpu)) return;
  const current_device here(gpu);
  check(cudaStreamSynchronize(stream_of(stream)), "cudaStreamSynchronize");
}

shared_block take_shared(int gpu, void* stream, std::size_t bytes) {
  if (!is_here(gpu)) return {-1, ::operator new(bytes)};
  if (bytes == 0) return {gpu, nullptr};
  const current_device here(gpu);
  void* data = nullptr;
  const auto code = cudaMallocFromPoolAsync(&data, bytes, memory_pool(gpu), stream_of(stream));
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // it would be reported again by the next launch
    throw too_large("cuda: cannot allocate " + std::to_string(bytes >> 20) + " MiB for a result on GPU " +
                    std::to_string(gpu));
  }
  check(code, "cudaMallocFromPoolAsync");
  return {gpu, data};
}

/// Ignores errors: destructors cannot report them, and at process exit CUDA calls fail.
void give_back_shared(const shared_block& block, void* stream) {
  int callers = 0;
  if (block.gpu < 0) ::operator delete(block.data);
  if (block.gpu < 0 || !block.data || cudaGetDevice(&callers) != cudaSuccess ||
      cudaSetDevice(block.gpu) != cudaSuccess)
    return;
  cudaDeviceSynchronize();
  cudaFreeAsync(block.data, stream_of(stream));
  cudaSetDevice(callers);
}

}  // namespace macareu::cuda
