// The GPU's copy of an image, and which of both copies is newer.
#pragma once

#include <cstddef>
#include <memory>

namespace macareu::itk {

/// Memory of the GPU is taken when it is first wanted. All throw device_error; a build without CUDA has no
/// GPU.
class device_buffer {
 public:
  explicit device_buffer(std::size_t bytes) : bytes_(bytes) {}

  bool on_device_only() const { return newest_ == newest::device; }
  /// Copies to the host where the GPU's pixels are newer; then both are the same.
  void to_host(void* host);
  /// Copies to the GPU where the host's pixels are newer; then both are the same.
  const void* to_device(const void* host);
  /// Whatever both hold is old now.
  void* for_writing();
  void host_was_written() { newest_ = newest::host; }

 private:
  enum class newest { host, device, both };
  struct release {
    void operator()(void* data) const;
  };
  void* memory();

  std::size_t bytes_;
  newest newest_ = newest::host;
  std::unique_ptr<void, release> data_;
};

}  // namespace macareu::itk
