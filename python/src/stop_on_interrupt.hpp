// Ctrl-C stops a long call of the main thread, the only one on which Python handles signals.
#pragma once

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <stop_token>
#include <thread>

namespace macareu::python {

/// While it lives, SIGINT also sets the stop source. Python's own handler still runs, so that Python raises
/// what it would raise without this. A handler may do little; so it wakes a thread that does the rest.
class stop_on_interrupt {
 public:
  explicit stop_on_interrupt(std::stop_source& source) {
    struct sigaction now {};
    if (gettid() != getpid() || sigaction(SIGINT, nullptr, &now) != 0) return;
    if ((now.sa_flags & SA_SIGINFO) || now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN) return;
    pythons_handler = now.sa_handler;
    interrupted = false;
    sem_init(&wake, 0, 0);
    watcher_.emplace([&source] {
      while (sem_wait(&wake) != 0 && errno == EINTR) {
      }
      if (interrupted) source.request_stop();
    });
    before_ = now;
    now.sa_handler = &on_interrupt;
    sigaction(SIGINT, &now, nullptr);
  }

  ~stop_on_interrupt() {
    if (!watcher_) return;
    sigaction(SIGINT, &before_, nullptr);
    sem_post(&wake);
    watcher_->join();
  }

  stop_on_interrupt(const stop_on_interrupt&) = delete;
  stop_on_interrupt& operator=(const stop_on_interrupt&) = delete;

 private:
  static void on_interrupt(int signal) {
    interrupted = true;
    sem_post(&wake);
    pythons_handler(signal);
  }

  // One main thread, so one of each.
  inline static sem_t wake;
  inline static std::atomic<bool> interrupted;
  inline static void (*pythons_handler)(int);

  struct sigaction before_ {};
  std::optional<std::thread> watcher_;
};

}  // namespace macareu::python
