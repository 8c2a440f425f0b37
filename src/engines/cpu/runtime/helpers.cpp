// The thread pool behind `parallel`. An OpenMP region ends with a barrier of all threads, even of those never
// scheduled. On a busy machine a short pass then takes a scheduler time slice.
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {
namespace {

/// One call of `parallel`.
struct team {
  function_ref<void(int)> body;
  int places;                   // free places for helpers
  int joined = 0;               // helpers that joined; also the number of the last
  std::atomic<int> running{0};  // helpers that have not returned
  std::exception_ptr failure{};

  /// Requires the pool's lock.
  void fail(std::exception_ptr with) {
    if (!failure) failure = std::move(with);
  }
};

class pool {
 public:
  void run(int threads, function_ref<void(int)> body) {
    team own{.body = body, .places = threads - 1};
    {
      const std::lock_guard lock(changing_);
      for (; helpers_ < threads - 1; ++helpers_) std::thread([this] { help(); }).detach();
      open_.push_back(&own);
      ++opened_;
    }
    for (int helper = 1; helper < threads; ++helper) wanted_.notify_one();
    std::exception_ptr failure;
    try {
      body(0);
    } catch (...) {
      failure = std::current_exception();
    }
    std::unique_lock lock(changing_);
    if (failure) own.fail(failure);
    if (own.places > 0) std::erase(open_, &own);
    if (own.running > 0) {
      lock.unlock();
      look_for([&] { return own.running == 0; });
      lock.lock();
    }
    returned_.wait(lock, [&] { return own.running == 0; });
    if (own.failure) std::rethrow_exception(own.failure);
  }

 private:
  [[noreturn]] void help() {
    for (std::unique_lock lock(changing_);;) {
      wanted_.wait(lock, [&] { return !open_.empty(); });
      team& mine = *open_.front();
      const int number = ++mine.joined;
      ++mine.running;
      if (--mine.places == 0) open_.erase(open_.begin());
      lock.unlock();
      std::exception_ptr failure;
      try {
        mine.body(number);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) mine.fail(failure);
      if (--mine.running == 0) returned_.notify_all();
      const auto before = opened_.load();
      lock.unlock();
      look_for([&] { return opened_ != before; });
      lock.lock();
    }
  }

  /// Spins briefly: the end of a pass or the next pass often comes sooner than a wake-up would.
  template <class Condition>
  static void look_for(const Condition& holds) {
    const auto until =
        std::chrono::steady_clock::now() + std::chrono::microseconds(tuning::look_microseconds);
    while (!holds() && std::chrono::steady_clock::now() < until) {
    }
  }

  std::mutex changing_;
  std::condition_variable wanted_, returned_;
  std::vector<team*> open_;  // teams with free places, oldest first
  std::atomic<std::uint64_t> opened_{0};
  int helpers_ = 0;
};

/// Never destroyed: helpers sleep in it until the process ends. A forked child gets a new pool: it has none
/// of its parent's helpers, and the old lock may stay locked forever.
pool& this_process_pool() {
  static std::atomic<pool*> current;
  static const int handler = [] {
    current = new pool;
    return pthread_atfork(nullptr, nullptr, [] { current = new pool; });
  }();
  static_cast<void>(handler);
  return *current;
}

}  // namespace

void parallel(int threads, function_ref<void(int)> body) {
  if (threads <= 1) return body(0);
  this_process_pool().run(threads, body);
}

}  // namespace macareu::cpu
