// A workplace holds a suite's images in the memory of the device that works on them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <macareu/image.hpp>

#include "checksum.hpp"
#include "device_memory.hpp"
#include "mirrored.hpp"
#include "suite.hpp"

namespace macareu::bench {

/// The cuda device with its own memory, or any device with host memory.
class workplace {
 public:
  static workplace on_host(std::string device);
  static workplace on_gpu();

  const std::string& device() const { return device_; }
  bool is_gpu() const { return timer_.has_value(); }
  void* stream() const { return timer_ ? timer_->stream() : nullptr; }
  const pinned_memory& staging() const { return *staging_; }
  /// On a GPU, GPU time only: the stream is busy before the call.
  double milliseconds(const std::function<void()>& run);
  /// The same up to `repeat` times. For short GPU calls, also the time from an idle stream.
  void take_times(result& about, int repeat, double most_ms, const std::function<void()>& run);

 private:
  explicit workplace(std::string device) : device_(std::move(device)) {}

  std::string device_;
  std::optional<device_timer> timer_;
  std::optional<pinned_memory> staging_;
};

/// An image at a workplace. The workplace must outlive it.
class placed_image {
 public:
  placed_image(const workplace& at, dtype type, const extents& shape);
  placed_image(const workplace& at, const mirrored& from);

  const extents& shape() const { return shape_; }
  image_view view();
  void clear();
  checksum sum() const;
  image host_copy() const;

 private:
  /// Calls each(first row, last row, byte offset, piece) for every piece, in pinned memory.
  template <class Each>
  void for_pieces(const Each& each) const;

  const workplace* at_;
  dtype type_;
  extents shape_;
  image host_;
  std::optional<device_memory> device_;
};

}  // namespace macareu::bench
