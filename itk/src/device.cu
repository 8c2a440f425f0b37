#include "device.hpp"

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "pixelwise.hpp"

namespace macareu::itk::device {
namespace {

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // it has been told: the next call of the thread must not find it again
  throw device_error(std::string(what) + ": " + cudaGetErrorString(code));
}

/// After a launch cudaGetLastError() tells what it did itself, not what another part of the program left.
template <class Launch>
void check_launch(const Launch& launch, const char* what) {
  cudaGetLastError();
  launch();
  check(cudaGetLastError(), what);
}

/// Memory that is given back and taken again at once, as a chain of filters does, costs nothing then. Not the
/// driver's own pool, whose settings are the program's.
cudaMemPool_t memory_pool(int gpu) {
  static std::mutex making;
  static std::map<int, cudaMemPool_t> pools;
  const std::lock_guard lock(making);
  const auto found = pools.find(gpu);
  if (found != pools.end()) return found->second;
  cudaMemPoolProps about{};
  about.allocType = cudaMemAllocationTypePinned;
  about.location = {.type = cudaMemLocationTypeDevice, .id = gpu};
  cudaMemPool_t pool{};
  check(cudaMemPoolCreate(&pool, &about), "cudaMemPoolCreate");
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  std::uint64_t kept = total / 16;
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute");
  return pools.emplace(gpu, pool).first->second;
}

struct giving_back {
  void operator()(void* data) const { give_back(data); }
};
template <class T>
using device_array = std::unique_ptr<T[], giving_back>;

template <class T>
device_array<T> room_for(std::size_t count) {
  return device_array<T>(static_cast<T*>(take(count * sizeof(T))));
}

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 1 << 16;

int blocks_for(std::int64_t count) {
  return static_cast<int>(std::min((count + threads - 1) / threads, most_blocks));
}

__device__ std::int64_t first_of_thread() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }
__device__ std::int64_t step_of_threads() { return std::int64_t{gridDim.x} * threads; }

template <class Body>
__global__ void at_every_pixel(std::int64_t count, Body body) {
  for (auto i = first_of_thread(); i < count; i += step_of_threads()) body(i);
}

struct by_kernels {
  template <class Body>
  void each(std::int64_t count, const Body& body) const {
    if (count == 0) return;
    check_launch([&] { at_every_pixel<<<blocks_for(count), threads>>>(count, body); }, "work on pixels");
  }

  template <class T>
  device_array<T> table(std::span<const T> values) const {
    auto there = room_for<T>(values.size());
    copy_to_device(there.get(), values.data(), values.size_bytes());
    return there;
  }
};

using counter = unsigned long long;

struct finding_any {
  const bool* mask;
  counter* found;
  __device__ void operator()(std::int64_t i) const {
    if (mask[i]) *found = 1;
  }
};

constexpr counter negative = ~counter{0};

template <class T>
__device__ counter number_of(T label) {
  if constexpr (std::is_signed_v<T>) {
    if (!(label >= T{})) return negative;  // NaN too
  }
  return static_cast<counter>(label);
}

/// The largest, or `negative`.
template <class T>
__global__ void find_greatest(std::int64_t count, const T* labels, counter* greatest) {
  counter mine = 0;
  for (auto i = first_of_thread(); i < count; i += step_of_threads()) mine = max(mine, number_of(labels[i]));
  for (int lane = 16; lane > 0; lane /= 2) mine = max(mine, __shfl_xor_sync(~0U, mine, lane));
  if (threadIdx.x % 32 == 0) atomicMax(greatest, mine);
}

/// A thread takes a stretch of pixels and adds once for each run of one label.
constexpr std::int64_t stretch = 64;

template <class T>
struct counting {
  std::int64_t count;
  const T* labels;
  counter* sizes;
  __device__ void operator()(std::int64_t part) const {
    const auto end = min((part + 1) * stretch, count);
    for (auto i = part * stretch; i < end;) {
      const auto first = i;
      const T label = labels[first];
      while (i < end && labels[i] == label) ++i;
      if (label != T{}) atomicAdd(sizes + static_cast<counter>(label), static_cast<counter>(i - first));
    }
  }
};

counter fetch(const counter* value) {
  counter result = 0;
  copy_to_host(&result, value, sizeof(result));
  return result;
}

device_array<counter> zeros(std::size_t count) {
  auto made = room_for<counter>(count);
  check(cudaMemsetAsync(made.get(), 0, count * sizeof(counter)), "cudaMemsetAsync");
  return made;
}

}  // namespace

void* take(std::size_t bytes) {
  int gpu = 0;
  check(cudaGetDevice(&gpu), "cudaGetDevice");
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, std::max<std::size_t>(bytes, 1), memory_pool(gpu), nullptr),
        "cudaMallocFromPoolAsync");
  return data;
}

void give_back(void* data) {
  cudaPointerAttributes about{};
  int current = 0;
  if (!data || cudaPointerGetAttributes(&about, data) != cudaSuccess ||
      cudaGetDevice(&current) != cudaSuccess)
    return;
  cudaSetDevice(about.device);  // whose default stream the memory's work is in
  cudaFreeAsync(data, nullptr);
  cudaSetDevice(current);
}

void copy_to_device(void* device, const void* host, std::size_t bytes) {
  check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
}

void copy_to_host(void* host, const void* device, std::size_t bytes) {
  check(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy to the host");
}

std::string engine(const std::string& asked) { return asked; }

void apply(const pixelwise::work& what, std::span<const const_image_view> from, const image_view& to) {
  pixelwise::apply(by_kernels{}, what, {from, to});
}

bool any(const const_image_view& mask) {
  const auto found = zeros(1);
  by_kernels{}.each(mask.shape().pixels(), finding_any{static_cast<const bool*>(mask.data()), found.get()});
  return fetch(found.get()) != 0;
}

std::vector<std::uint64_t> sizes_of_objects(const const_image_view& labels) {
  std::vector<std::uint64_t> result;
  const auto count = labels.shape().pixels();
  pixelwise::with_type(labels.type(), [&]<class T>(std::type_identity<T>) {
    const auto* from = static_cast<const T*>(labels.data());
    const auto found = zeros(1);
    if (count > 0) {
      check_launch([&] { find_greatest<<<blocks_for(count), threads>>>(count, from, found.get()); },
                   "greatest label");
    }
    const auto greatest = fetch(found.get());
    pixelwise::require_small(greatest == negative, greatest, count);
    const auto sizes = zeros(greatest + 1);
    by_kernels{}.each((count + stretch - 1) / stretch, counting<T>{count, from, sizes.get()});
    result.resize(greatest + 1);
    copy_to_host(result.data(), sizes.get(), result.size() * sizeof(counter));
  });
  return result;
}

void wait() { check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize"); }

}  // namespace macareu::itk::device
