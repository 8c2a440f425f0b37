#include "forked_ranks.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/rank_tree.hpp"
#include "verb.hpp"

namespace macareu::tool {
namespace {

/// A socket to each rank with which this one exchanges.
using sockets = std::map<int, int>;

class forked_ranks final : public ranks {
 public:
  forked_ranks(int rank, int size, sockets to, std::vector<pid_t> children)
      : rank_(rank), size_(size), to_(std::move(to)), children_(std::move(children)) {}
  ~forked_ranks() override {
    for (const auto& [other, socket] : to_) ::close(socket);
    for (const auto child : children_) ::waitpid(child, nullptr, 0);
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
      if (moved <= 0) end_with_others();
      bytes += moved;
      count -= static_cast<std::size_t>(moved);
    }
  }

  /// A rank has died. Those above it in the tree find that out one after another, and the first one tells.
  [[noreturn]] void end_with_others() const {
    if (!is_first()) ::_exit(exit_code::internal);
    int code = exit_code::internal;
    std::string how = "ended early";
    for (std::size_t i = 0; i < children_.size(); ++i) {
      int status = 0;
      if (::waitpid(children_[i], &status, WNOHANG) != children_[i] || !WIFSIGNALED(status)) continue;
      code = 128 + WTERMSIG(status);
      how = std::to_string(i + 1) + " was ended by signal " + std::to_string(WTERMSIG(status));
    }
    std::fprintf(stderr, "macareu: rank %s; --resume continues a run in pieces\n", how.c_str());
    ::_exit(code);  // the kernel ends the others
  }

  int rank_, size_;
  sockets to_;
  std::vector<pid_t> children_;  // of the first rank, all others in their order
};

}  // namespace

std::unique_ptr<ranks> fork_ranks(int size) {
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
    return std::make_unique<forked_ranks>(rank, size, std::move(own), std::move(children));
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
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != first) ::_exit(exit_code::internal);
      return rank_with_its_own(rank, {});
    }
    children.push_back(child);
  }
  return rank_with_its_own(0, std::move(children));
}

}  // namespace macareu::tool
