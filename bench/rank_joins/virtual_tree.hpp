// The tree of virtual ranks: joins run one after the other, and are timed and weighed apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <macareu/ranks.hpp>

namespace macareu::bench {

using json = nlohmann::ordered_json;

constexpr double bandwidth = 1e9,
                 latency = 50e-6;  // bytes a second, and seconds a message: 10 Gbit/s Ethernet

/// Processor time, which other programs of the machine do not change. Joins use one thread.
double seconds_of(const std::function<void()>& work);

/// Of one level of the tree, the slowest join and the largest message.
struct level {
  double up = 0, down = 0;
  std::size_t bytes_up = 0, bytes_down = 0;
};

/// What joins of one rank allocate.
struct rank_memory {
  std::int64_t held = 0, peak = 0;

  /// Runs a part of the rank's work. It gets messages of so many bytes and gives others, which it does not
  /// keep.
  double watch(std::size_t received, const std::function<std::size_t()>& work);
};

/// What each rank tells, joined and answered.
class tree {
 public:
  using exchanges = std::function<rank_exchange&(int rank)>;

  tree(int ranks, exchanges how)
      : ranks_(ranks), how_(std::move(how)), memory_(static_cast<std::size_t>(ranks)) {}

  rank_memory& memory(int rank) { return memory_[static_cast<std::size_t>(rank)]; }
  level& leaves() { return of_ranks_; }

  /// own(rank): what it tells. taken(rank, answer).
  void exchange(const std::function<std::string(int)>& own,
                const std::function<void(int, const std::string&)>& taken);
  json report() const;

 private:
  std::string up(int first, int end, std::size_t depth, const std::function<std::string(int)>& own);
  void down(int first, int end, std::size_t depth, std::string answer,
            const std::function<void(int, const std::string&)>& taken);

  int ranks_;
  exchanges how_;
  std::vector<rank_memory> memory_;
  std::vector<level> levels_;
  level of_ranks_;
};

}  // namespace macareu::bench
