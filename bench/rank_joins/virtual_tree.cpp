#include "bench/rank_joins/virtual_tree.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <new>
#include <utility>

namespace {

std::int64_t bytes_in_use = 0, peak_in_use = 0;  // of operator new; joins run in one thread

}  // namespace

// Not inlined: the compiler would see malloc() and operator delete as a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const made = std::malloc(bytes);
  if (!made) throw std::bad_alloc();
  const auto room = static_cast<std::int64_t>(malloc_usable_size(made));
  const auto now = __atomic_add_fetch(&bytes_in_use, room, __ATOMIC_RELAXED);
  if (now > peak_in_use) peak_in_use = now;
  return made;
}
[[gnu::noinline]] void operator delete(void* made) noexcept {
  __atomic_sub_fetch(&bytes_in_use, static_cast<std::int64_t>(malloc_usable_size(made)), __ATOMIC_RELAXED);
  std::free(made);
}
void operator delete(void* made, std::size_t) noexcept { ::operator delete(made); }

namespace macareu::bench {

double seconds_of(const std::function<void()>& work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const auto begin = now();
  work();
  return now() - begin;
}

double rank_memory::watch(std::size_t received, const std::function<std::size_t()>& work) {
  const auto before = bytes_in_use;
  peak_in_use = before;
  std::size_t given = 0;
  const auto seconds = seconds_of([&] { given = work(); });
  peak = std::max(peak, held + peak_in_use - before + static_cast<std::int64_t>(received));
  held += bytes_in_use - before - static_cast<std::int64_t>(given);
  return seconds;
}

void tree::exchange(const std::function<std::string(int)>& own,
                    const std::function<void(int, const std::string&)>& taken) {
  auto all = up(0, ranks_, 0, own);
  down(0, ranks_, 0, how_(0).answer(std::move(all)), taken);
}

json tree::report() const {
  json levels = json::array();
  double path = of_ranks_.up + of_ranks_.down;
  for (const auto& each : levels_) {
    const auto messages = 2 * latency + static_cast<double>(each.bytes_up + each.bytes_down) / bandwidth;
    path += each.up + each.down + messages;
    levels.push_back({{"join_s", each.up},
                      {"split_s", each.down},
                      {"bytes_up", each.bytes_up},
                      {"bytes_down", each.bytes_down},
                      {"messages_s", messages}});
  }
  std::int64_t most = 0;
  for (const auto& each : memory_) most = std::max(most, each.peak);
  return {{"critical_path_s", path},
          {"most_bytes_of_a_rank", most},
          {"own_join_s", of_ranks_.up},
          {"own_solve_s", of_ranks_.down},
          {"bytes_up_of_a_rank", of_ranks_.bytes_up},
          {"levels_from_the_root", levels}};
}

std::string tree::up(int first, int end, std::size_t depth, const std::function<std::string(int)>& own) {
  if (end - first == 1) return own(first);
  if (levels_.size() <= depth) levels_.resize(depth + 1);
  const rank_range range{first, first + (end - first) / 2, end};
  auto a = up(first, range.middle, depth + 1, own), b = up(range.middle, end, depth + 1, own);
  auto& here = levels_[depth];
  here.bytes_up = std::max(here.bytes_up, b.size());
  std::string joined;
  const auto received = a.size() + b.size();
  here.up = std::max(here.up, memory(first).watch(received, [&] {
    joined = how_(first).join(range, std::move(a), std::move(b));
    return joined.size();
  }));
  return joined;
}

void tree::down(int first, int end, std::size_t depth, std::string answer,
                const std::function<void(int, const std::string&)>& taken) {
  if (end - first == 1) return taken(first, answer);
  const rank_range range{first, first + (end - first) / 2, end};
  auto& here = levels_[depth];
  std::pair<std::string, std::string> halves;
  const auto received = answer.size();
  here.down = std::max(here.down, memory(first).watch(received, [&] {
    halves = how_(first).split(range, std::move(answer));
    return halves.first.size() + halves.second.size();
  }));
  here.bytes_down = std::max(here.bytes_down, halves.second.size());
  down(first, range.middle, depth + 1, std::move(halves.first), taken);
  down(range.middle, end, depth + 1, std::move(halves.second), taken);
}

}  // namespace macareu::bench
