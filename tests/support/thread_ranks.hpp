// Ranks that are threads of one process.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <macareu/ranks.hpp>

#include "core/ranks/rank_mailbox.hpp"

namespace macareu::test {

class thread_rank final : public ranks {
 public:
  thread_rank(rank_mailbox& mail, int rank, int size, int machines, int local_size)
      : mail_(mail), rank_(rank), size_(size), machine_(rank % machines), local_size_(local_size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_size() const override { return local_size_; }
  std::string host() const override { return "host" + std::to_string(machine_); }

 protected:
  void send(int to, std::string_view bytes) override { mail_.put(rank_, to, std::string(bytes)); }
  std::string receive(int from) override { return mail_.take(from, rank_); }

 private:
  rank_mailbox& mail_;
  int rank_, size_, machine_, local_size_;
};

/// Runs work on so many ranks; the error of each, or null. Without `machines` each has one of its own.
/// `local_size`: by how many ranks each of them divides what its machine gives.
inline std::vector<std::exception_ptr> on_ranks(int size, const std::function<void(ranks&)>& work,
                                                int machines = 0, int local_size = 1) {
  rank_mailbox mail;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank)
    threads.emplace_back([&, rank] {
      thread_rank own(mail, rank, size, machines > 0 ? machines : size, local_size);
      try {
        work(own);
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
        try {
          own.fail(std::current_exception());
        } catch (...) {
          errors[static_cast<std::size_t>(rank)] = std::current_exception();
        }
      }
    });
  for (auto& thread : threads) thread.join();
  return errors;
}

}  // namespace macareu::test
