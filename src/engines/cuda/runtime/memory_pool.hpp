// Where this library's memory on a GPU comes from. The driver's default pool gives memory back whenever a
// stream is waited for, and mapping it again costs more than a small image takes to compute; changing that
// pool would be felt by the rest of the program, so this one is our own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace macareu::cuda {

/// Made at the first call for a GPU, and kept.
cudaMemPool_t memory_pool(int gpu);

/// Bytes that the pool holds and nobody uses.
std::int64_t idle_memory(int gpu);

}  // namespace macareu::cuda
