#include "interruption.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>
#include <thread>
#include <utility>

#include <macareu/error.hpp>

#include "verb.hpp"

namespace macareu::tool {
namespace {

sigset_t both_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

void say(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // stderr is closed
}

}  // namespace

interruption::interruption(std::string verb) : verb_(std::move(verb)) {
  const auto set = both_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  // A closed pipe becomes a failed write, so that temporary files beside the outputs are removed.
  signal(SIGPIPE, SIG_IGN);
  std::thread([this] { listen(); }).detach();
}

void interruption::check() const {
  if (source_.stop_requested()) throw interrupted();
}

void interruption::listen() {
  const auto set = both_signals();
  int received = 0;
  sigwait(&set, &received);
  {
    const std::lock_guard lock(deciding_);
    if (!careful_) {
      say("macareu: " + verb_ + ": interrupted\n");
      _exit(exit_code::interrupted);
    }
    source_.request_stop();
  }
  sigwait(&set, &received);
  signal(received, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(received);
}

}  // namespace macareu::tool
