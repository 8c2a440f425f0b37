// The interface between the library and macareu_cuda.so, the module of the cuda engine. Both are instances of
// the same templates and pass C++ objects and exceptions, so they must come from one build: the version is a
// hash of all headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "catalogue/entry.hpp"
#include "engines/cuda/runtime/function.hpp"
#include "engines/cuda/runtime/gpu_of_rank.hpp"
#include "engines/cuda/runtime/presence.hpp"
#include "engines/cuda/runtime/shared_arrays.hpp"

namespace macareu {

/// Every function is one of the same name in engines/cuda/runtime, or of device_memory.
struct cuda_module {
  int version;
  std::span<const entry> (*entries)();
  const cuda::gpu_list& (*gpus_here)();
  int (*current_gpu)();
  std::string (*bus_of)(int gpu);
  std::int64_t (*free_memory)(int gpu);
  std::unique_ptr<cuda::loaded_function> (*load_function)(job& work, const std::string& code);
  int (*gpu_beside)(const void* data);
  void* (*own_stream)(int gpu);
  void (*follow)(int gpu, void* stream, void* other);
  void (*finish)(int gpu, void* stream);
  cuda::shared_block (*take_shared)(int gpu, void* stream, std::size_t bytes);
  void (*give_back_shared)(const cuda::shared_block& block, void* stream);
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* data) noexcept;
  void (*copy_to_device)(void* device, const void* host, std::size_t bytes);
  void (*copy_to_host)(void* host, const void* device, std::size_t bytes);
  void (*wait)();
};

namespace cuda {

/// Of the cuda engine; empty where its module is not there.
std::span<const entry> entries();

}  // namespace cuda
}  // namespace macareu
