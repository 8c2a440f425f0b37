// Rings of pinned memory for transfers of images.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {

using tuning::chunk_bytes, tuning::chunk_count;

enum class ring_use { upload, download };

/// Exclusive use of the process's ring for one direction. The destructor waits for pending copies. Threads of
/// one transfer use disjoint slots.
class ring_lease {
 public:
  ring_lease(ring_use use, cudaStream_t stream);
  ~ring_lease();
  ring_lease(const ring_lease&) = delete;
  ring_lease& operator=(const ring_lease&) = delete;

  /// Memory of a chunk; waits for the last copy that used it.
  std::byte* chunk(std::int64_t slot);
  /// Marks the chunk as used by the copy just enqueued.
  void in_use(std::int64_t slot);

 private:
  std::unique_lock<std::mutex> lock_;
  cudaStream_t stream_;
  std::array<void*, chunk_count>* memory_;
  std::array<cudaEvent_t, chunk_count> copied_{};
};

}  // namespace macareu::cuda
