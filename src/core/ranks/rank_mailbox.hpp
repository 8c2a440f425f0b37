// Messages between ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace macareu {

/// Messages on their way, by sender and receiver.
class rank_mailbox {
 public:
  void put(int from, int to, std::string bytes) {
    {
      const std::lock_guard lock(guard_);
      messages_[{from, to}].push_back(std::move(bytes));
    }
    arrived_.notify_all();
  }
  std::string take(int from, int to) {
    std::unique_lock lock(guard_);
    auto& waiting = messages_[{from, to}];
    arrived_.wait(lock, [&] { return !waiting.empty(); });
    auto bytes = std::move(waiting.front());
    waiting.pop_front();
    return bytes;
  }

 private:
  std::mutex guard_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::string>> messages_;
};

}  // namespace macareu
