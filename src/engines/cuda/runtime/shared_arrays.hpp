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

/// Memory of a GPU for a result that others may use on streams of theirs; of the host where there is no GPU.
class shared_memory {
 public:
  /// To be used after what is in the stream.
  shared_memory(int gpu, void* stream, std::size_t bytes);
  /// Waits for all work on the GPU, as cudaFree does: of the others' streams nothing is known.
  ~shared_memory();
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  void* data() const { return data_; }
  /// Below 0: of the host.
  int gpu() const { return gpu_; }

 private:
  int gpu_;
  [[maybe_unused]] void* stream_;  // where there is a GPU
  void* data_ = nullptr;
};

}  // namespace macareu::cuda
