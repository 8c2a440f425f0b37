#include "interruption.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>
#include <thread>
#include <utility>

#include <macareu/error.hpp>

#include "forked_ranks.hpp"
#include "shared_ranks.hpp"
#include "verb.hpp"

namespace macareu::tool {
namespace {

sigset_t held_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGINT, SIGTERM, stop_signal()}) sigaddset(&set, each);
  return set;
}

void say(std::string_view text) {
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // stderr is closed
}

}  // namespace

void interruption::hold_signals() {
  const auto set = held_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

interruption::interruption(std::vector<std::string> words) : words_(std::move(words)) {
  hold_signals();
  // A closed pipe becomes a failed write, so that temporary files beside the outputs are removed.
  signal(SIGPIPE, SIG_IGN);
  std::thread([this] { listen(); }).detach();
}

void interruption::end() {
  const std::lock_guard lock(deciding_);
  over_ = true;
}

void interruption::stop_after(std::chrono::seconds time) {
  std::thread([this, time] {
    std::this_thread::sleep_for(time);
    source_.request_stop();
  }).detach();
}

void interruption::check() const {
  if (source_.stop_requested()) throw interrupted();
}

void interruption::listen() {
  const auto set = held_signals();
  int received = 0;
  const auto wait = [&] {
    while (sigwait(&set, &received) == 0 && received == stop_signal()) {
      source_.request_stop();
      stop_forked_ranks();
    }
  };
  wait();
  {
    const std::lock_guard lock(deciding_);
    if (over_) return;
    // Other ranks end with the first one, or stop with it.
    if (!careful_ && is_first_rank()) {
      say("macareu: " + words_[0] + ": interrupted\n");
      _exit(exit_code::interrupted);
    }
    source_.request_stop();
    stop_forked_ranks();
  }
  wait();
  signal(received, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(received);
}

}  // namespace macareu::tool
