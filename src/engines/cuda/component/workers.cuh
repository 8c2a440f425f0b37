// A pool of GPUs. Every GPU of the pool has two workers, each with its own thread and stream, so that one
// worker's transfers overlap with the other's kernels. Workers draw blocks from a queue.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <latch>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engines/cpu/runtime/threads.hpp"
#include "engines/cuda/runtime/current_device.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/runtime/memory_pool.hpp"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {

using tuning::streams_per_gpu;

/// Measures the time during which at least one worker is busy.
class busy_clock {
 public:
  template <class Work>
  void during(Work&& work) {
    begin();
    try {
      work();
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

/// A stream that the library owns.
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

/// Blocks to be drawn, in order.
class block_queue {
 public:
  explicit block_queue(std::size_t blocks) : blocks_(blocks) {}
  /// The next block; nothing when there is none left.
  std::optional<std::size_t> draw() {
    const auto block = next_.fetch_add(1);
    return block < blocks_ ? std::optional(block) : std::nullopt;
  }
  void close() { next_ = blocks_; }

 private:
  std::size_t blocks_;
  std::atomic<std::size_t> next_{0};
};

/// The task of the workers: a first round, a step on the calling thread, and a second round.
class two_rounds {
 public:
  virtual ~two_rounds() = default;
  /// Both rounds of one worker. `meet` ends the first: it returns when the second may begin.
  virtual void work(const gpu& on, const std::function<void()>& meet) = 0;
  /// Called when a worker fails: the others stop early.
  virtual void close() = 0;
};

/// The worker threads. Each may use all host processors for packing and unpacking, because only one worker
/// packs at a time.
class workers {
 public:
  workers(const job& call, const std::vector<int>& gpus, two_rounds& task)
      : how_(call.how), task_(task), first_done_(static_cast<std::ptrdiff_t>(gpus.size()) * streams_per_gpu) {
    how_.threads = cpu::threads_for(std::numeric_limits<std::int64_t>::max(), call.how.threads);
    for (const int number : gpus)
      for (int i = 0; i < streams_per_gpu; ++i) threads_.emplace_back([this, number] { run(number); });
  }
  ~workers() {
    task_.close();
    begin_second();
    threads_.clear();
  }
  workers(const workers&) = delete;
  workers& operator=(const workers&) = delete;

  /// Both rethrow the exception of the first worker that failed.
  void wait_for_first() {
    first_done_.wait();
    rethrow();
  }
  void do_second() {
    begin_second();
    threads_.clear();
    rethrow();
  }

 private:
  void run(int number) {
    bool waited_for = true;
    const auto end_first = [&] {
      if (std::exchange(waited_for, false)) first_done_.count_down();
    };
    try {
      const current_device here(number);
      const own_stream stream;
      job own{how_, {}};  // reports are not shared between threads
      const gpu on{own, number, 1, stream.get(), memory_pool(number)};
      task_.work(on, [&] {
        end_first();
        second_begins_.wait();
      });
      on.synchronize("cudaStreamSynchronize");
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failure_) failure_ = std::current_exception();
      task_.close();
    }
    end_first();
  }
  void begin_second() {
    if (!std::exchange(begun_, true)) second_begins_.count_down();
  }
  void rethrow() {
    const std::lock_guard lock(failing_);
    if (failure_) std::rethrow_exception(failure_);
  }

  context how_;
  two_rounds& task_;
  std::latch first_done_, second_begins_{1};
  bool begun_ = false;
  std::mutex failing_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;
};

}  // namespace macareu::cuda::labels
