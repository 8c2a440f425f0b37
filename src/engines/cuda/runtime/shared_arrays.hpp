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

/// Device memory for a result that other packages may use on their own streams; host memory without a GPU.
class shared_memory {
 public:
  /// Usable after the work now in the stream.
  shared_memory(int gpu, void* stream, std::size_t bytes);
  /// Waits for all work on the GPU, as cudaFree does: the other packages' streams are unknown.
  ~shared_memory();
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;

  void* data() const { return data_; }
  /// Negative: host memory.
  int gpu() const { return gpu_; }

 private:
  int gpu_;
  [[maybe_unused]] void* stream_;  // where there is a GPU
  void* data_ = nullptr;
};

}  // namespace macareu::cuda
