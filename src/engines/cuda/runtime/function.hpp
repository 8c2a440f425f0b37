// A function that was compiled while the program runs, on a GPU as operators are: on the same device and
// stream, with the same memory, transfers and errors. Part of every build: one without CUDA loads none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include <macareu/image.hpp>

#include "core/call.hpp"

namespace macareu::cuda {

/// Its GPU is current in this thread until the end, which waits for what it has started. Everything is in the
/// order of the call's stream. All throw device_error.
class loaded_function {
 public:
  struct launch {
    std::array<unsigned, 3> blocks, threads;
    unsigned shared_bytes = 0;
  };

  virtual ~loaded_function() = default;

  /// Memory of the GPU until the end; null where no bytes are asked for.
  virtual std::byte* memory(std::int64_t bytes) = 0;
  virtual void fill(std::byte* at, int value, std::int64_t bytes) = 0;
  /// Pixels in host memory, with any strides, to memory of the GPU without gaps: row x width + column.
  virtual void bring(const const_image_view& image, std::byte* to) = 0;
  /// `arguments` point to the kernel's.
  virtual void start(const char* kernel, const launch& how, std::initializer_list<void*> arguments) = 0;
  /// Waits for all kernels. One that failed is known here at the latest.
  virtual void wait() = 0;
  /// Waits.
  virtual void fetch(const std::byte* from, std::span<std::byte> to) = 0;
};

/// Machine code for the GPU that `work` runs on, "cuda:N".
std::unique_ptr<loaded_function> load_function(job& work, const std::string& code);

}  // namespace macareu::cuda
