#include "macareu/itk/device_buffer.hpp"

#include <algorithm>

#include "device.hpp"

namespace macareu::itk {

void device_buffer::release::operator()(void* data) const { device::give_back(data); }

void* device_buffer::memory(std::size_t bytes) {
  if (!data_ || bytes_ != bytes) {
    data_.reset();
    data_.reset(device::take(bytes));
    bytes_ = bytes;
  }
  return data_.get();
}

void device_buffer::to_host(void* host, std::size_t bytes) {
  if (!on_device_only()) return;
  const std::lock_guard lock(moving_);
  if (!on_device_only()) return;
  device::copy_to_host(host, data_.get(), std::min(bytes, bytes_));
  newest_.store(newest::both, std::memory_order_release);
}

const void* device_buffer::to_device(const void* host, std::size_t bytes) {
  const std::lock_guard lock(moving_);
  if (newest_.load(std::memory_order_acquire) == newest::host) {
    device::copy_to_device(memory(bytes), host, bytes);
    newest_.store(newest::both, std::memory_order_release);
  }
  return data_.get();
}

void* device_buffer::for_writing(std::size_t bytes) {
  const std::lock_guard lock(moving_);
  const bool in_place = on_device_only() && bytes == bytes_;
  if (!in_place) newest_.store(newest::host, std::memory_order_release);
  return memory(bytes);
}

}  // namespace macareu::itk
