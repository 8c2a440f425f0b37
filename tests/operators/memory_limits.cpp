// Which limit the command line compares with what images take. No GPU is needed.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "../apps/macareu/running/memory_limits.hpp"
#include "catalogue/tuning.hpp"

namespace macareu::test {
namespace {

constexpr auto unlimited = std::numeric_limits<std::int64_t>::max();

TEST(memory_limits, a_named_gpu_has_the_limit_that_is_given) {
  EXPECT_EQ(tool::gpu_limit_of({.device = "cuda", .gpu_memory = 5}), 5);
  EXPECT_EQ(tool::gpu_limit_of({.device = "cuda:1", .gpu_memory = 5}), 5);
  EXPECT_EQ(tool::gpu_limit_of({.device = "cuda"}), unlimited);
  EXPECT_EQ(tool::gpu_limit_of({.device = "cuda:0,cuda:1", .gpu_memory = 5}), unlimited);
  EXPECT_EQ(tool::gpu_limit_of({.device = "auto", .gpu_memory = 5}), unlimited);
  EXPECT_EQ(tool::gpu_limit_of({.device = "cpu", .gpu_memory = 5}), unlimited);
}

TEST(memory_limits, the_smaller_limit_is_kept) {
  EXPECT_EQ(tool::least_limit(7, unlimited).bytes, 7);
  EXPECT_STREQ(tool::least_limit(7, unlimited).place, "in memory");
  EXPECT_EQ(tool::least_limit(7, 8).bytes, 7);
  EXPECT_EQ(tool::least_limit(9, 8).bytes, 8);
  EXPECT_STREQ(tool::least_limit(9, 8).place, "on the GPU");
}

TEST(memory_limits, all_images_of_a_call_count) {
  EXPECT_EQ(tuning::memory_needed(8, 16), 30);  // at least three like the first
  EXPECT_EQ(tuning::memory_needed(8, 40), 50);
}

}  // namespace
}  // namespace macareu::test
