// Passes over pieces that any rank may visit.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engines/pieces/shared_pass.hpp"
#include "support/dice.hpp"
#include "support/shared_run.hpp"

namespace macareu::test {
namespace {

TEST(shared_pass, each_piece_is_visited_once) {
  for (std::int64_t i = 0; i < scaled(60); ++i) {
    dice from(static_cast<std::uint64_t>(i));
    const auto size = static_cast<int>(from.between(1, 9));
    const frame whole{from.between(1, 5), from.between(1, 40), from.between(1, 40), {0, 0, 0}};
    const pieces::piece_grid grid(whole, {from.between(1, 5), from.between(1, 20), from.between(1, 20)});
    std::mutex guard;
    std::vector<int> visits(static_cast<std::size_t>(grid.count())), taken(visits.size());
    const auto found_in = [](std::int64_t piece) {
      return std::string(static_cast<std::size_t>(piece % 3), static_cast<char>('a' + piece % 20));
    };
    const auto errors = in_run(size, [&](pieces::run& run) {
      const auto visit = [&](std::int64_t piece, std::optional<std::int64_t> next) {
        EXPECT_NE(next, piece);
        const std::lock_guard lock(guard);
        ++visits[static_cast<std::size_t>(piece)];
        return found_in(piece);
      };
      const auto take = [&](std::int64_t piece, const std::string& found) {
        EXPECT_TRUE(run.own_pieces(grid).contains(grid.place(piece)));
        EXPECT_EQ(found, found_in(piece));
        const std::lock_guard lock(guard);
        ++taken[static_cast<std::size_t>(piece)];
      };
      pieces::share_pieces(run, grid, visit, take);
      pieces::share_pieces(run, grid, visit, take);  // another pass: pieces are free again
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
    EXPECT_EQ(std::ranges::count(visits, 2), grid.count()) << i;
    EXPECT_EQ(std::ranges::count(taken, 2), grid.count()) << i;
  }
}

TEST(shared_pass, idle_ranks_take_pieces) {
  const pieces::piece_grid grid({1, 24, 1, {0, 0, 0}}, {1, 1, 1});
  for (const int slow : {0, 1, 2}) {
    std::mutex guard;
    std::condition_variable changed;
    std::int64_t visited = 0;
    const auto errors = in_run(3, [&](pieces::run& run) {
      bool is_first = true;
      pieces::share_pieces(run, grid, [&](std::int64_t, std::optional<std::int64_t>) {
        std::unique_lock lock(guard);
        ++visited;
        changed.notify_all();
        // The rank waits for all others in its first piece.
        if (run.rank() != slow || !std::exchange(is_first, false)) return;
        EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(5), [&] { return visited == grid.count(); }));
      });
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
    EXPECT_EQ(visited, grid.count());
  }
}

}  // namespace
}  // namespace macareu::test
