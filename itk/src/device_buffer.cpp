#include "macareu/itk/device_buffer.hpp"

#include <algorithm>
#include <utility>

#include "device.hpp"

namespace macareu::itk {

void device_buffer::release::operator()(void* data) const { device::give_back(data); }

void* device_buffer::memory::of(std::size_t wanted) {
  if (!data || bytes != wanted) {
    data.reset();
    data.reset(device::take(wanted));
    bytes = wanted;
  }
  return data.get();
}

void device_buffer::to_host(void* host, std::size_t bytes) {
  if (!on_device_only()) return;
  const std::lock_guard lock(moving_);
  if (!on_device_only()) return;
  device::copy_to_host(host, pixels_.data.get(), std::min(bytes, pixels_.bytes));
  newest_.store(newest::both, std::memory_order_release);
}

const void* device_buffer::to_device(const void* host, std::size_t bytes) {
  const std::lock_guard lock(moving_);
  if (newest_.load(std::memory_order_acquire) == newest::host) {
    device::copy_to_device(pixels_.of(bytes), host, bytes);
    newest_.store(newest::both, std::memory_order_release);
  }
  return pixels_.data.get();
}

void* device_buffer::for_writing(std::size_t bytes) {
  const std::lock_guard lock(moving_);
  if (on_device_only()) return written_.of(bytes);
  newest_.store(newest::host, std::memory_order_release);
  return pixels_.of(bytes);
}

void device_buffer::device_was_written() {
  const std::lock_guard lock(moving_);
  if (written_.data) pixels_ = std::exchange(written_, {});
  newest_.store(newest::device, std::memory_order_release);
}

}  // namespace macareu::itk
