// Stops a long call on Ctrl-C. Only the main thread is affected, because only it handles Python's signals.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <stop_token>
#include <thread>

namespace macareu::python {

/// During its lifetime, SIGINT also sets the stop source. Python's handler still runs, so Python raises as
/// usual. Signal handlers may do little, so ours wakes a thread that sets the source.
class stop_on_interrupt {
 public:
  explicit stop_on_interrupt(std::stop_source& source) {
    struct sigaction now {};
    if (gettid() != getpid() || sigaction(SIGINT, nullptr, &now) != 0) return;
    if ((now.sa_flags & SA_SIGINFO) || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
    if (now.sa_handler == &on_interrupt) return;  // nested call from `progress`; the outer one stops
    // The waiting thread is kept, because creating one per call costs more than most of the Python overhead.
    // After a fork, the child has none and creates its own.
    if (!waiting || waiting->process != getpid()) waiting = new watcher;
    pythons_handler = now.sa_handler;
    interrupted = false;
    waiting->set(&source);
    watched_ = true;
    before_ = now;
    now.sa_handler = &on_interrupt;
    sigaction(SIGINT, &now, nullptr);
  }

  ~stop_on_interrupt() {
    if (!watched_) return;
    sigaction(SIGINT, &before_, nullptr);
    waiting->set(nullptr);
  }

  stop_on_interrupt(const stop_on_interrupt&) = delete;
  stop_on_interrupt& operator=(const stop_on_interrupt&) = delete;

 private:
  /// Never destroyed: its thread waits until the process ends.
  class watcher {
   public:
    watcher() {
      sem_init(&wake, 0, 0);
      sigset_t all, before;  // other threads handle signals
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      std::thread([this] {
        while (true)
          if (sem_wait(&wake) == 0) stop();
      }).detach();
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void set(std::stop_source* source) {
      const std::lock_guard lock(changing_);
      source_ = source;
    }

    const pid_t process = getpid();
    sem_t wake{};

   private:
    void stop() {
      const std::lock_guard lock(changing_);
      if (source_ && interrupted) source_->request_stop();
    }

    std::mutex changing_;
    std::stop_source* source_ = nullptr;  // source of the running call
  };

  static void on_interrupt(int signal) {
    interrupted = true;
    sem_post(&waiting->wake);
    pythons_handler(signal);
  }

  // Static, because there is one main thread.
  inline static watcher* waiting = nullptr;
  inline static std::atomic<bool> interrupted;
  inline static void (*pythons_handler)(int);

  struct sigaction before_ {};
  bool watched_ = false;
};

}  // namespace macareu::python
