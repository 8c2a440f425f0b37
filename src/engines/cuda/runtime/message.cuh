// Messages from a running kernel to the host. They arrive some microseconds before CUDA reports the kernel's
// end, so the next launch follows without a gap.
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "engines/cuda/runtime/gpu.cuh"

namespace macareu::cuda {

/// Lies in pinned host memory that kernels can write.
template <class T>
struct message {
  using flag = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_system>;
  T content;
  std::uint32_t announced, sent;

  /// Lets the host prepare the next launch while the kernel ends. Any thread may call it, before `send`.
  __device__ void announce() { flag(announced).store(1, ::cuda::std::memory_order_relaxed); }

  /// One thread calls it, once. Orders only `content` before `sent`. Other blocks may still be writing, so
  /// images and kept memory are ready at the kernel's end only.
  __device__ void send(const T& told) {
    content = told;
    flag(sent).store(1, ::cuda::std::memory_order_release);
  }
};

/// Acquire load: if true, earlier writes of the kernel's thread are visible.
bool is_set(std::uint32_t& flag);
/// Polls both flags for 2 ms, longer than most kernels that send messages run. True if one is set.
bool comes_soon(std::uint32_t& flag, std::uint32_t& other);

/// One at a time for every type and thread. Construct it before the launch of the kernel that sends the
/// message.
template <class T>
class expected_message {
 public:
  explicit expected_message(const gpu& on) : stream_(on.stream), place_(pinned_place<message<T>>()) {
    place_->announced = place_->sent = 0;
  }
  expected_message(const expected_message&) = delete;
  expected_message& operator=(const expected_message&) = delete;
  /// Waits for a message that was not received: the next kernel's receiver would take it for its own.
  ~expected_message() {
    if (!is_set(place_->sent)) cudaStreamSynchronize(stream_);
  }

  message<T>* place() const { return place_; }

  /// Waits for the announcement or the message, whichever comes first.
  bool is_announced(const gpu& on) const {
    wait(on, place_->announced);
    return is_set(place_->announced);
  }
  T receive(const gpu& on) const {
    wait(on, place_->sent);
    if (!is_set(place_->sent))
      throw internal_error("cuda: a kernel ended without sending its result: please report");
    return place_->content;
  }

 private:
  /// Synchronises the stream if polling takes too long, which also reports a failed kernel.
  void wait(const gpu& on, std::uint32_t& flag) const {
    if (!comes_soon(flag, place_->sent)) on.synchronize("cudaStreamSynchronize");
  }

  cudaStream_t stream_;
  message<T>* place_;
};

}  // namespace macareu::cuda
