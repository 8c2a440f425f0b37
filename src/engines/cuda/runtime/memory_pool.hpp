// The library's own memory pool on a GPU. The driver's default pool releases memory at every synchronisation.
// Mapping it again takes longer than computing a small image. Changing the default pool would affect the rest
// of the program.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace macareu::cuda {

/// Created at the first call for a GPU, and kept.
cudaMemPool_t memory_pool(int gpu);

/// Bytes that the pool holds but does not use.
std::int64_t idle_memory(int gpu);

}  // namespace macareu::cuda
