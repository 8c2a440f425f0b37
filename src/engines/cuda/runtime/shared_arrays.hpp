// What arrays need that are shared with other packages: a stream to meet them on, and memory that they may
// keep. Also in a build without CUDA.
#pragma once

#include <cstddef>

namespace macareu::cuda {

/// Where results belong beside this memory: the GPU that holds it; of the host's memory the current one, or
/// -1 where there is none.
int gpu_beside(const void* data);

/// A stream of this library on a GPU, made at the first call and kept; null where there is no such GPU. It
/// waits for the default stream, and the default stream for it.
void* own_stream(int gpu);

/// What comes into `stream` from now on is done after all that is in `other` now.
void follow(int gpu, void* stream, void* other);

/// Waits for all that is in it.
void finish(int gpu, void* stream);

/// Memory of a GPU, or of the host: then the GPU's number is below 0.
struct shared_block {
  int gpu;
  void* data;
};

/// To be used after what is in the stream. Host memory where there is no such GPU.
shared_block take_shared(int gpu, void* stream, std::size_t bytes);
/// Waits for all work on the GPU, as cudaFree does: of the others' streams nothing is known.
void give_back_shared(const shared_block& block, void* stream);

/// Memory for a result that others may use on streams of theirs.
class shared_memory {
 public:
  shared_memory(int gpu, void* stream, std::size_t bytes)
      : stream_(stream), block_(take_shared(gpu, stream, bytes)) {}
  ~shared_memory() { give_back_shared(block_, stream_); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  void* data() const { return block_.data; }
  /// Below 0: of the host.
  int gpu() const { return block_.gpu; }

 private:
  void* stream_;
  shared_block block_;
};

}  // namespace macareu::cuda
