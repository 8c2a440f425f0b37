// What a kernel tells the host while it still runs. The host knows of it some microseconds before CUDA could
// say that the kernel has ended, so what it launches then follows without a gap.
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "engines/cuda/gpu.cuh"

namespace macareu::cuda {

/// In memory of the host that kernels can write.
template <class T>
struct message {
  T content;
  std::uint32_t sent;

  /// By one thread, once. Orders `content` before `sent` and nothing else: other blocks may still be writing,
  /// so images and kept memory are ready at the kernel's end only.
  __device__ void send(const T& told) {
    content = told;
    ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system>(sent).store(
        1, ::cuda::std::memory_order_release);
  }
};

/// Looks at it for some milliseconds, as long as most kernels take that send messages. False: not yet.
bool comes_soon(std::uint32_t& sent);

/// One at a time for every type and thread. Made before the kernel is launched that sends the message.
template <class T>
class expected_message {
 public:
  expected_message() : place_(landing_place<message<T>>()) { place_->sent = 0; }

  message<T>* place() const { return place_; }

  /// Waits for it, and for the stream where it takes long: then a kernel that failed is seen as well.
  T receive(const gpu& on) const {
    if (!comes_soon(place_->sent)) {
      on.synchronize("cudaStreamSynchronize");
      if (!place_->sent) throw internal_error("cuda: a kernel ended without its message: please report");
    }
    return place_->content;
  }

 private:
  message<T>* place_;
};

}  // namespace macareu::cuda
