// Device copies of the images of a call. Host memory is copied at its first use; device and managed memory is
// used in place. A crop or reshaped view of a host image is a separate image here.
//
// Only finish() writes copies back, so a call that fails earlier leaves the host's results untouched. The
// same host memory has one copy: a marker may be the output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/runtime/transfer.hpp"

namespace macareu::cuda {

/// Rows begin at multiples of 64 pixels, so that kernels can read 16 bytes at a time. Narrow images are not
/// padded: it would multiply their memory.
constexpr std::int64_t padded_width(std::int64_t width) {
  constexpr std::int64_t unit = 64;
  return width < unit ? width : ceil_div(width, unit) * unit;
}

template <class T>
view<T> dense_view(T* data, std::int64_t depth, std::int64_t height, std::int64_t width) {
  const auto pitch = padded_width(width);
  return {data, depth, height, width, height * pitch, pitch, 1};
}

/// Zeroes the padding between rows and after the last one. Atomics on narrow pixels read the whole word,
/// which must be initialised.
void clear_padding(const gpu& on, std::byte* data, std::int64_t rows, std::int64_t width, std::int64_t size);

/// A temporary image in device memory.
template <class T>
class device_image {
 public:
  device_image(const gpu& on, std::int64_t depth, std::int64_t height, std::int64_t width)
      : memory_(on, depth * height * padded_width(width)),
        view_(dense_view(memory_.data(), depth, height, width)) {
    if constexpr (sizeof(T) < 4)
      clear_padding(on, reinterpret_cast<std::byte*>(memory_.data()), depth * height, width, sizeof(T));
  }

  operator view<T>() const { return view_; }
  view<T> pixels() const { return view_; }

 private:
  device_array<T> memory_;
  view<T> view_;
};

class residence {
 public:
  explicit residence(const gpu& on) : on_(on) {}

  /// A view that kernels can read. Where one kernel reads and writes an image, call this before writing().
  template <class T>
  view<const T> reading(const view<const T>& image) {
    return on_device<const T>(image, to_be::read);
  }
  /// A view that kernels overwrite completely: its content is not uploaded.
  template <class T>
  view<T> writing(const view<T>& image) {
    return on_device<T>(image, to_be::written);
  }
  /// Does pageable host memory hold the current pixels of the image?
  bool is_on_host(const host_pixels& image) const;
  /// Downloads the images that were written. Waits for the stream, unless the caller will.
  void finish();

 private:
  enum class to_be { read, written };
  struct copy {
    host_pixels host;
    device_array<std::byte> memory;
    device_rows rows() const { return {memory.data(), padded_width(host.width)}; }
    bool filled = false;
    bool written = false;
  };

  /// The memory of the copy; null where the image is used in place.
  std::byte* place(const host_pixels& image, to_be use);

  template <class T>
  view<T> on_device(const view<T>& image, to_be use) {
    std::byte* const data = place(host_pixels_of(image), use);
    return data ? dense_view(reinterpret_cast<T*>(data), image.depth, image.height, image.width) : image;
  }

  const gpu& on_;
  std::deque<copy> copies_;
};

}  // namespace macareu::cuda
