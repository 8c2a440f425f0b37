// The pinned memory through which images travel.
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

/// The process's ring for a direction, for one transfer at a time. At the end it waits for copies under way.
/// Threads of the transfer may have slots of their own.
class ring_lease {
 public:
  ring_lease(ring_use use, cudaStream_t stream);
  ~ring_lease();
  ring_lease(const ring_lease&) = delete;
  ring_lease& operator=(const ring_lease&) = delete;

  /// Memory of a chunk, once the copy that used it last is done.
  std::byte* chunk(std::int64_t slot);
  /// The copy just put into the stream uses this chunk.
  void in_use(std::int64_t slot);

 private:
  std::unique_lock<std::mutex> lock_;
  cudaStream_t stream_;
  std::array<void*, chunk_count>* memory_;
  std::array<cudaEvent_t, chunk_count> copied_{};
};

}  // namespace macareu::cuda
