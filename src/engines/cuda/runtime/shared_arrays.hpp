// Support for arrays shared with other packages: a common stream, and memory that they may keep. Part of
// every build.
#pragma once

#include <cstddef>

namespace macareu::cuda {

/// The GPU for results of this memory: the one that holds it. For host memory the current GPU, or -1 if there
/// is none.
int gpu_beside(const void* data);

/// The library's stream on a GPU, created at the first call and kept; null if there is no such GPU. It
/// synchronises with the default stream in both directions.
void* own_stream(int gpu);

/// Work enqueued in `stream` from now on runs after all work now in `other`.
void follow(int gpu, void* stream, void* other);

/// Waits for all work in the stream.
void finish(int gpu, void* stream);

/// Device memory, or host memory if `gpu` is negative.
struct shared_block {
  int gpu;
  void* data;
};

/// Usable after the work now in the stream. Host memory if there is no such GPU.
shared_block take_shared(int gpu, void* stream, std::size_t bytes);
/// Waits for all work on the GPU, as cudaFree does: the other packages' streams are unknown.
void give_back_shared(const shared_block& block, void* stream);

/// Memory for a result that other packages may use on their own streams.
class shared_memory {
 public:
  shared_memory(int gpu, void* stream, std::size_t bytes)
      : stream_(stream), block_(take_shared(gpu, stream, bytes)) {}
  ~shared_memory() { give_back_shared(block_, stream_); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  void* data() const { return block_.data; }
  /// Negative: host memory.
  int gpu() const { return block_.gpu; }

 private:
  void* stream_;
  shared_block block_;
};

}  // namespace macareu::cuda
