// Transfers between host memory of any strides and dense rows in device memory.
//
// The GPU copies at full speed only from and to pinned memory. So host threads pack or unpack chunks in a
// small pinned ring while the GPU copies others. Pinned memory of the caller is copied directly.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/call.hpp"
#include "core/view.hpp"

namespace macareu::cuda {

/// A view without its pixel type.
struct host_pixels {
  std::byte* data{};
  std::int64_t depth{}, height{}, width{};
  std::int64_t step_z{}, step_y{}, step_x{};  // in pixels
  std::int64_t size{};                        // of a pixel, in bytes

  std::int64_t pixels() const { return depth * height * width; }
  bool operator==(const host_pixels&) const = default;
};

template <class T>
host_pixels host_pixels_of(const view<T>& image) {
  using byte = std::byte;
  return {reinterpret_cast<byte*>(const_cast<std::remove_const_t<T>*>(image.data)),
          image.depth,
          image.height,
          image.width,
          image.step_z,
          image.step_y,
          image.step_x,
          static_cast<std::int64_t>(sizeof(T))};
}

/// The same pixels in device memory, row after row.
struct device_rows {
  std::byte* data{};
  std::int64_t pitch{};  // from row to row, in pixels
};

/// Both wait for the last byte and add their time to the report.
void upload(job& work, const host_pixels& from, const device_rows& to, cudaStream_t stream);
void download(job& work, const device_rows& from, const host_pixels& to, cudaStream_t stream);

}  // namespace macareu::cuda
