// A function compiled at run time. It uses the device, stream, memory, transfers and errors of operators.
// Part of every build; load_function throws in a build without CUDA.
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

/// Makes its GPU current in this thread. The destructor waits for the kernels and restores the caller's GPU.
/// All work runs in the order of the call's stream. All functions throw device_error.
class loaded_function {
 public:
  struct launch {
    std::array<unsigned, 3> blocks, threads;
    unsigned shared_bytes = 0;
  };

  virtual ~loaded_function() = default;

  /// Device memory, freed by the destructor; null for 0 bytes.
  virtual std::byte* memory(std::int64_t bytes) = 0;
  virtual void fill(std::byte* at, int value, std::int64_t bytes) = 0;
  /// Copies host pixels of any strides to dense device memory: row x width + column.
  virtual void bring(const const_image_view& image, std::byte* to) = 0;
  /// `arguments` point to the kernel's arguments.
  virtual void start(const char* kernel, const launch& how, std::initializer_list<void*> arguments) = 0;
  /// Waits for all kernels. Reports a failed kernel here at the latest.
  virtual void wait() = 0;
  /// Waits for the copy.
  virtual void fetch(const std::byte* from, std::span<std::byte> to) = 0;
};

/// `code`: machine code for the GPU that `work` runs on, "cuda:N".
std::unique_ptr<loaded_function> load_function(job& work, const std::string& code);

}  // namespace macareu::cuda
