// parallel: the caller does what no helper comes for, and waits for none that has not begun.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engines/cpu/runtime/threads.hpp"

namespace macareu::test {
namespace {

/// How often each of so many units was done, by so many threads.
std::vector<int> units_done(int threads, std::int64_t units) {
  std::vector<int> done(static_cast<std::size_t>(units));
  std::atomic<std::int64_t> next{0};
  cpu::parallel(threads, [&](int) {
    for (auto unit = next.fetch_add(1); unit < units; unit = next.fetch_add(1))
      ++done[static_cast<std::size_t>(unit)];
  });
  return done;
}

TEST(threads, do_every_unit_once) {
  for (const int threads : {1, 2, 3, 8})
    for (const std::int64_t units : {0, 1, 2, 100, 10000})
      EXPECT_EQ(units_done(threads, units), std::vector<int>(static_cast<std::size_t>(units), 1)) << threads;
}

TEST(threads, have_numbers_of_their_own) {
  std::vector<std::atomic<int>> seen(4);
  std::latch all(4);
  cpu::parallel(4, [&](int thread) {
    ++seen.at(static_cast<std::size_t>(thread));
    all.arrive_and_wait();
  });
  for (const auto& times : seen) EXPECT_EQ(times, 1);
}

TEST(threads, hand_on_what_a_body_throws) {
  for (const int thrower : {0, 1}) {
    std::latch both(2);
    const auto body = [&](int thread) {
      both.arrive_and_wait();
      if (thread == thrower) throw std::runtime_error("from " + std::to_string(thread));
    };
    try {
      cpu::parallel(2, body);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& failure) {
      EXPECT_EQ(failure.what(), "from " + std::to_string(thrower));
    }
  }
  EXPECT_EQ(units_done(2, 10), std::vector<int>(10, 1)) << "they go on";
}

TEST(threads, are_not_waited_for_before_they_begin) {
  constexpr int threads = 3;
  std::latch busy(threads), released(1);
  std::jthread other([&] {
    cpu::parallel(threads, [&](int) {
      busy.arrive_and_wait();
      released.wait();
    });
  });
  busy.wait();  // now no helper is free, unless an earlier test asked for more
  EXPECT_EQ(units_done(threads, 100), std::vector<int>(100, 1));
  released.count_down();
}

TEST(threads, may_run_inside_each_other) {
  std::atomic<int> sum{0};
  cpu::parallel(3, [&](int) {
    for (const int one : units_done(3, 50)) sum += one;
  });
  EXPECT_EQ(sum % 50, 0);
  EXPECT_GE(sum, 50);
}

}  // namespace
}  // namespace macareu::test
