// The GPU's copy of an image, and which copy is newer.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

namespace macareu::itk {

/// Allocates GPU memory on first use. All functions throw device_error; a build without CUDA has no GPU.
/// Concurrent calls of to_host are safe: one thread copies, the others wait.
class device_buffer {
 public:
  bool on_device_only() const { return newest_.load(std::memory_order_acquire) == newest::device; }
  /// Copies to the host if the GPU's pixels are newer; then both are current.
  void to_host(void* host, std::size_t bytes);
  /// Copies to the GPU if the host's pixels are newer; then both are current.
  const void* to_device(const void* host, std::size_t bytes);
  /// Memory for new pixels. The previous pixels stay valid until device_was_written(), because the writer may
  /// fail. If both copies are current, the host's is kept. If only the GPU's is, which an in-place filter
  /// reads, the new pixels get separate memory.
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
