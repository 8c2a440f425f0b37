#include "device_memory.hpp"

#include <cuda_runtime_api.h>

#include <string>

#include <macareu/error.hpp>

#include "busy_stream.hpp"
#include "engines/cuda/runtime/memory_pool.hpp"

namespace macareu::bench {
namespace {

void check(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw device_error("bench: " + std::string(what) + ": " + cudaGetErrorString(code));
}

void* allocate(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMalloc(&data, bytes), "cudaMalloc");
  return data;
}

std::byte* allocate_pinned(std::size_t bytes) {
  void* data = nullptr;
  check(cudaMallocHost(&data, bytes), "cudaMallocHost");
  return static_cast<std::byte*>(data);
}

cudaStream_t make_stream() {
  cudaStream_t stream{};
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return stream;
}

cudaEvent_t make_event() {
  cudaEvent_t event{};
  check(cudaEventCreate(&event), "cudaEventCreate");
  return event;
}

std::int64_t used_memory(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t bytes = 0;
  check(cudaMemPoolGetAttribute(pool, attribute, &bytes), "cudaMemPoolGetAttribute");
  return static_cast<std::int64_t>(bytes);
}

cudaEvent_t event_of(const auto& owner) { return static_cast<cudaEvent_t>(owner.get()); }

}  // namespace

device_memory::device_memory(std::size_t bytes) : bytes_(bytes), data_(allocate(bytes)) {}

void device_memory::release::operator()(void* data) const { cudaFree(data); }

void device_memory::clear() {
  check(cudaMemset(data(), 0, bytes_), "cudaMemset");
  // The stream of the timed call does not wait for the default stream.
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void device_memory::write(std::size_t offset, std::span<const std::byte> from) {
  check(
      cudaMemcpy(static_cast<std::byte*>(data()) + offset, from.data(), from.size(), cudaMemcpyHostToDevice),
      "cudaMemcpy to the device");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void device_memory::read(std::size_t offset, std::span<std::byte> to) const {
  check(cudaMemcpy(to.data(), static_cast<const std::byte*>(data()) + offset, to.size(),
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy from the device");
}

pinned_memory::pinned_memory(std::size_t bytes) : bytes_(bytes), data_(allocate_pinned(bytes)) {}

void pinned_memory::release::operator()(std::byte* data) const { cudaFreeHost(data); }

std::int64_t peak_device_memory(const std::function<void()>& run) {
  int gpu = 0;
  check(cudaGetDevice(&gpu), "cudaGetDevice");
  const auto pool = cuda::memory_pool(gpu);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::uint64_t reset = 0;  // resets the peak to the current use
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &reset), "cudaMemPoolSetAttribute");
  const auto before = used_memory(pool, cudaMemPoolAttrUsedMemCurrent);
  run();
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return used_memory(pool, cudaMemPoolAttrUsedMemHigh) - before;
}

device_timer::device_timer() : stream_(make_stream()), begin_(make_event()), end_(make_event()) {}

void device_timer::release_stream::operator()(void* stream) const {
  cudaStreamDestroy(static_cast<cudaStream_t>(stream));
}

void device_timer::release_event::operator()(void* event) const {
  cudaEventDestroy(static_cast<cudaEvent_t>(event));
}

double device_timer::milliseconds(stream_before before, const std::function<void()>& run) {
  auto* const on = static_cast<cudaStream_t>(stream());
  if (before == stream_before::busy) keep_busy(on);
  check(cudaEventRecord(event_of(begin_), on), "cudaEventRecord");
  run();
  check(cudaEventRecord(event_of(end_), on), "cudaEventRecord");
  check(cudaEventSynchronize(event_of(end_)), "cudaEventSynchronize");
  float taken = 0;
  check(cudaEventElapsedTime(&taken, event_of(begin_), event_of(end_)), "cudaEventElapsedTime");
  return taken;
}

}  // namespace macareu::bench
