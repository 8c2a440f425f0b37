// A pool of GPUs: workers, two for every GPU of the pool, each with a thread and a stream of its own, so that
// the transfers of one lie beside the kernels of the other. They draw blocks from a queue.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "engines/cuda/current_device.hpp"
#include "engines/cuda/gpu.cuh"
#include "engines/cuda/memory_pool.hpp"

namespace macareu::cuda::labels {

constexpr int streams_per_gpu = 2;

/// The time in which at least one transfer is under way.
class transfer_clock {
 public:
  template <class Transfer>
  void during(Transfer&& transfer) {
    begin();
    try {
      transfer();
    } catch (...) {
      end();
      throw;
    }
    end();
  }
  double seconds() const { return seconds_; }

 private:
  using clock = std::chrono::steady_clock;
  void begin() {
    const std::lock_guard lock(mutex_);
    if (under_way_++ == 0) since_ = clock::now();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    if (--under_way_ == 0) seconds_ += std::chrono::duration<double>(clock::now() - since_).count();
  }

  std::mutex mutex_;
  int under_way_ = 0;
  clock::time_point since_{};
  double seconds_ = 0;
};

/// A stream of the library's own.
class own_stream {
 public:
  own_stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~own_stream() {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// work(gpu, draw) on every worker, where draw() gives the next block, or one past the last when there is
/// none. The first exception ends the others at their next block and is thrown here.
template <class Work>
void on_all_workers(const job& call, const std::vector<int>& gpus, std::size_t blocks, Work&& work) {
  std::atomic<std::size_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto draw = [&] {
    call.check_stop();
    return next.fetch_add(1);
  };
  const auto run = [&](int number) {
    try {
      const current_device here(number);
      const own_stream stream;
      job own{call.how, {}};  // reports are not shared between threads
      gpu on{own, number, 1, stream.get(), memory_pool(number)};
      work(static_cast<const gpu&>(on), draw);
      on.synchronize("cudaStreamSynchronize");
    } catch (...) {
      next = blocks;
      const std::lock_guard lock(failing);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> workers;
    for (const int number : gpus)
      for (int i = 0; i < streams_per_gpu; ++i) workers.emplace_back(run, number);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace macareu::cuda::labels
