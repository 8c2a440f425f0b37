// A thread that reads or writes files in FIFO order, while pieces are computed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace macareu::pieces {

class file_thread {
 public:
  file_thread();
  ~file_thread();
  file_thread(const file_thread&) = delete;
  file_thread& operator=(const file_thread&) = delete;

  /// The future reports errors.
  template <class Result>
  std::future<Result> ask(std::function<Result()> task) {
    auto shared = std::make_shared<std::packaged_task<Result()>>(std::move(task));
    auto result = shared->get_future();
    add([shared] { (*shared)(); });
    return result;
  }
  /// Runs later; an error is thrown by the next call of write() or wait(). Blocks while many are waiting.
  /// After an error no task of write() or note() runs: a record must not follow pixels that are not written.
  void write(std::function<void()> task);
  /// The same for what takes no time, without blocking.
  void note(std::function<void()> task);
  /// Returns when all that was asked for is done.
  void wait();

 private:
  void add(std::function<void()> task);
  /// Runs a task of write() or note(), and keeps its error.
  void attempt(const std::function<void()>& task);
  void work();

  std::mutex guard_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::int64_t writes_ = 0;
  std::exception_ptr failed_;
  bool is_broken_ = false;  // of the thread alone; stays, where failed_ is thrown once
  bool busy_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace macareu::pieces
