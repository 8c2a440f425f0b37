// What a kernel tells the host while it still runs. The host knows of it some microseconds before CUDA could
// say that the kernel has ended, so what it launches then follows without a gap.
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// In memory of the host that kernels can write.
template <class T>
struct message {
  using flag = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system>;
  T content;
  std::uint32_t announced, sent;

  /// That the host may prepare what follows, while the kernel comes to its end. By any threads, before
  /// `send`.
  __device__ void announce() { flag(announced).store(1, ::cuda::std::memory_order_relaxed); }

  /// By one thread, once. Orders `content` before `sent` and nothing else: other blocks may still be writing,
  /// so images and kept memory are ready at the kernel's end only.
  __device__ void send(const T& told) {
    content = told;
    flag(sent).store(1, ::cuda::std::memory_order_release);
  }
};

/// Then what was written before is seen.
bool is_set(std::uint32_t& flag);
/// Looks at both for 2 ms, as long as most kernels take that send messages, to see one of them set.
bool comes_soon(std::uint32_t& flag, std::uint32_t& other);

/// One at a time for every type and thread. Made before the kernel is launched that sends the message.
template <class T>
class expected_message {
 public:
  explicit expected_message(const gpu& on) : stream_(on.stream), place_(pinned_place<message<T>>()) {
    place_->announced = place_->sent = 0;
  }
  expected_message(const expected_message&) = delete;
  expected_message& operator=(const expected_message&) = delete;
  /// A message that nobody waits for any more would be taken for that of the next kernel.
  ~expected_message() {
    if (!is_set(place_->sent)) cudaStreamSynchronize(stream_);
  }

  message<T>* place() const { return place_; }

  /// Waits for the announcement, or for the message where none comes before it.
  bool is_announced(const gpu& on) const {
    wait(on, place_->announced);
    return is_set(place_->announced);
  }
  T receive(const gpu& on) const {
    wait(on, place_->sent);
    if (!is_set(place_->sent))
      throw internal_error("cuda: a kernel ended without its message: please report");
    return place_->content;
  }

 private:
  /// For the stream where it takes long: then a kernel that failed is seen as well.
  void wait(const gpu& on, std::uint32_t& flag) const {
    if (!comes_soon(flag, place_->sent)) on.synchronize("cudaStreamSynchronize");
  }

  cudaStream_t stream_;
  message<T>* place_;
};

}  // namespace macareu::cuda
