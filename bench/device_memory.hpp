// Memory and time of the current GPU, for suites that leave transfers out of their times. A build without
// CUDA has it too, but nothing that can be made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace macareu::bench {

/// All throw device_error.
class device_memory {
 public:
  explicit device_memory(std::size_t bytes);

  void* data() const { return data_.get(); }
  void clear();
  void write(std::size_t offset, std::span<const std::byte> from);
  void read(std::size_t offset, std::span<std::byte> to) const;

 private:
  struct release {
    void operator()(void* data) const;
  };
  [[maybe_unused]] std::size_t bytes_;  // not without a GPU
  std::unique_ptr<void, release> data_;
};

/// Host memory that the GPU copies from and to at full speed.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t bytes);

  std::span<std::byte> bytes() const { return {data_.get(), bytes_}; }

 private:
  struct release {
    void operator()(std::byte* data) const;
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, release> data_;
};

/// Bytes of the GPU's memory that calls of this library hold at the worst moment of `run`, beyond what they
/// hold before.
std::int64_t peak_device_memory(const std::function<void()>& run);

/// Where the stream is idle before, the host's time until its first launch is part of what is measured.
enum class stream_before { busy, idle };

/// Times by events on a stream of its own, which the timed call has to use.
class device_timer {
 public:
  device_timer();

  void* stream() const { return stream_.get(); }
  double milliseconds(stream_before before, const std::function<void()>& run);

 private:
  struct release_stream {
    void operator()(void* stream) const;
  };
  struct release_event {
    void operator()(void* event) const;
  };
  std::unique_ptr<void, release_stream> stream_;
  std::unique_ptr<void, release_event> begin_, end_;
};

}  // namespace macareu::bench
