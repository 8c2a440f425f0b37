#include "engines/pieces/files/transfer.hpp"

#include <utility>

#include "engines/pieces/tuning.hpp"

namespace macareu::pieces {

file_thread::file_thread() : thread_([this] { work(); }) {}

file_thread::~file_thread() {
  {
    const std::lock_guard lock(guard_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void file_thread::add(std::function<void()> task) {
  {
    const std::lock_guard lock(guard_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void file_thread::write(std::function<void()> task) {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [&] { return writes_ < tuning::most_waiting_writes; });
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  ++writes_;
  tasks_.push_back([this, task = std::move(task)] {
    attempt(task);
    const std::lock_guard done(guard_);
    --writes_;
  });
  lock.unlock();
  changed_.notify_all();
}

void file_thread::note(std::function<void()> task) {
  add([this, task = std::move(task)] { attempt(task); });
}

void file_thread::attempt(const std::function<void()>& task) {
  if (is_broken_) return;
  try {
    task();
  } catch (...) {
    is_broken_ = true;
    const std::lock_guard lock(guard_);
    failed_ = std::current_exception();
  }
}

void file_thread::wait() {
  std::unique_lock lock(guard_);
  changed_.wait(lock, [&] { return tasks_.empty() && !busy_; });
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
}

void file_thread::work() {
  std::unique_lock lock(guard_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    auto task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    task();
    task = nullptr;  // gives its block back
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace macareu::pieces
