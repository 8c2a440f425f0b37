// Memory of a GPU for images that stay there between calls, from the library's own pool. A build without CUDA
// throws device_error.
#pragma once

#include <cstddef>

namespace macareu::device_memory {

/// The GPU that is current in this thread; GPU 0 unless the program has chosen another one.
int current_gpu();

/// On the current GPU, in the order of its default stream. Memory that was given back is taken again at no
/// cost.
void* allocate(std::size_t bytes);
/// Null does nothing. Errors have nowhere to go.
void release(void* data) noexcept;

/// Both return when the host's memory can be used again.
void copy_to_device(void* device, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* device, std::size_t bytes);

/// Until the work in the default stream of the current GPU is done.
void wait();

}  // namespace macareu::device_memory
