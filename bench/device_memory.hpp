// Memory and timer of the current GPU, for suites whose times exclude transfers. In a build without CUDA the
// constructors throw.
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
  [[maybe_unused]] std::size_t bytes_;  // unused without a GPU
  std::unique_ptr<void, release> data_;
};

/// Pinned host memory, for transfers at full speed.
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

/// The peak of this library's GPU memory during `run`, in bytes, minus its use before.
std::int64_t peak_device_memory(const std::function<void()>& run);

/// With an idle stream, the time includes the host's work before the first launch.
enum class stream_before { busy, idle };

/// Measures with events on a private stream, which the timed call must use.
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
