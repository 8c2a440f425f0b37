#include "forked_ranks.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/ranks/rank_tree.hpp"
#include "verb.hpp"

namespace macareu::tool {
namespace {

/// A socket to each rank with which this one exchanges.
using sockets = std::map<int, int>;

std::atomic<bool> is_resumable = false, is_over = false;

std::vector<pid_t> forked;  // by this process, before its threads started

class forked_ranks final : public ranks {
 public:
  /// `children`: of the first rank, all others in their order.
  forked_ranks(int rank, int size, sockets to, std::vector<pid_t> children, std::string verb)
      : rank_(rank),
        size_(size),
        to_(std::move(to)),
        children_(std::move(children)),
        verb_(std::move(verb)),
        watcher_([this] { watch(); }) {}
  ~forked_ranks() override {
    for (const auto& [other, socket] : to_) ::close(socket);
    watcher_.join();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return rank_; }
  int local_size() const override { return size_; }
  std::string host() const override {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
  }

 protected:
  void send(int to, std::string_view bytes) override {
    const std::uint64_t size = bytes.size();
    move(to, reinterpret_cast<const char*>(&size), sizeof size, ::send);
    move(to, bytes.data(), bytes.size(), ::send);
  }
  std::string receive(int from) override {
    std::uint64_t size = 0;
    move(from, reinterpret_cast<char*>(&size), sizeof size, ::recv);
    std::string bytes(size, '\0');
    move(from, bytes.data(), bytes.size(), ::recv);
    return bytes;
  }

 private:
  template <class Byte, class Move>
  void move(int other, Byte* bytes, std::size_t count, const Move& how) {
    while (count > 0) {
      const auto moved = how(to_.at(other), bytes, count, MSG_NOSIGNAL);
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) end_without_other();
      bytes += moved;
      count -= static_cast<std::size_t>(moved);
    }
  }

  /// Waits for the other ranks. One that is killed ends the program now: the next exchange may be hours away.
  void watch() const {
    for (auto left = children_.size(); left > 0;) {
      int status = 0;
      const auto ended = ::waitpid(-1, &status, 0);
      if (ended < 0 && errno == EINTR) continue;
      if (ended < 0) return;
      const auto child = std::ranges::find(children_, ended);
      if (child == children_.end()) continue;
      --left;
      if (!WIFSIGNALED(status) || is_over) continue;
      const int signal = WTERMSIG(status);
      if (signal == SIGINT || signal == SIGTERM) end_all(exit_code::interrupted, "interrupted");
      end_all(128 + signal, "rank " + std::to_string(child - children_.begin() + 1) + " on " + host() +
                                ": ended by signal " + std::to_string(signal) + kept());
    }
  }

  /// Another rank has closed its socket. If it was killed, the first rank learns how from the kernel, a
  /// little later, and ends this one.
  [[noreturn]] void end_without_other() const {
    using namespace std::chrono_literals;
    std::this_thread::sleep_for(is_first() ? 2s : 4s);
    if (is_first()) end_all(exit_code::internal, "a rank on " + host() + " ended early" + kept());
    ::_exit(exit_code::internal);
  }

  static std::string kept() { return is_resumable ? "; what is done is kept, and --resume continues" : ""; }

  /// The kernel ends the other ranks with the first.
  [[noreturn]] void end_all(int code, const std::string& why) const {
    // A progress bar may be there.
    const auto line =
        (::isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "") + ("macareu: " + verb_ + ": " + why + "\n");
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) ::_exit(code);  // stderr is closed
    ::_exit(code);
  }

  int rank_, size_;
  sockets to_;
  std::vector<pid_t> children_;
  std::string verb_;
  std::thread watcher_;  // ends at once where there are no children
};

}  // namespace

int stop_signal() { return SIGUSR1; }

void stop_forked_ranks() {
  for (const auto child : forked) ::kill(child, stop_signal());
}

void expect_end_of_ranks() { is_over = true; }

resumable_section::resumable_section() { is_resumable = true; }
resumable_section::~resumable_section() { is_resumable = false; }

std::unique_ptr<ranks> fork_ranks(int size, const std::string& verb) {
  ::signal(SIGCHLD, SIG_DFL);  // a parent that ignores it would hide how a rank ended
  std::vector<sockets> of_ranks(static_cast<std::size_t>(size));
  for (int rank = 1; rank < size; ++rank) {
    const int above = place_in_tree(rank, size).above;
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw io_error(std::string("--ranks: ") + std::strerror(errno));
    of_ranks[static_cast<std::size_t>(rank)][above] = ends[0];
    of_ranks[static_cast<std::size_t>(above)][rank] = ends[1];
  }
  // A socket that another process keeps open would hide that its rank has died.
  const auto rank_with_its_own = [&](int rank, std::vector<pid_t> children) {
    auto own = std::exchange(of_ranks[static_cast<std::size_t>(rank)], {});
    for (const auto& others : of_ranks)
      for (const auto& [other, socket] : others) ::close(socket);
    return std::make_unique<forked_ranks>(rank, size, std::move(own), std::move(children), verb);
  };
  const auto first = ::getpid();
  std::vector<pid_t> children;
  for (int rank = 1; rank < size; ++rank) {
    const auto child = ::fork();
    if (child < 0) {
      for (const auto started : children) ::kill(started, SIGKILL);
      throw io_error(std::string("--ranks: ") + std::strerror(errno));
    }
    if (child == 0) {
      forked.clear();
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != first) ::_exit(exit_code::internal);
      return rank_with_its_own(rank, {});
    }
    children.push_back(child);
    forked.push_back(child);
  }
  return rank_with_its_own(0, std::move(children));
}

}  // namespace macareu::tool
