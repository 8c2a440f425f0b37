// The GPU's copy of an image, and which of both copies is newer.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace macareu::itk {

/// Memory of the GPU is taken when it is first wanted. All throw device_error; a build without CUDA has no
/// GPU. Threads may ask for the host's pixels at the same time: one copies, and the others wait.
class device_buffer {
 public:
  bool on_device_only() const { return newest_.load(std::memory_order_acquire) == newest::device; }
  /// Copies to the host where the GPU's pixels are newer; then both are the same.
  void to_host(void* host, std::size_t bytes);
  /// Copies to the GPU where the host's pixels are newer; then both are the same.
  const void* to_device(const void* host, std::size_t bytes);
  /// Until device_was_written() is called those pixels count that counted before: who writes may fail. Of
  /// both copies it is the host's. Where the GPU has the only one, which a filter in place reads, the new
  /// pixels get memory of their own.
  void* for_writing(std::size_t bytes);
  void device_was_written();
  void host_was_written() { newest_.store(newest::host, std::memory_order_release); }

 private:
  enum class newest { host, device, both };
  struct release {
    void operator()(void* data) const;
  };
  struct memory {
    std::size_t bytes = 0;
    std::unique_ptr<void, release> data;
    void* of(std::size_t wanted);
  };

  std::mutex moving_;
  std::atomic<newest> newest_ = newest::host;
  memory pixels_, written_;
};

}  // namespace macareu::itk
