// Memory of temporary images: aligned, reused, and not kept where memory is limited.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "core/call.hpp"
#include "core/host_memory.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t large = 4 << 20;

TEST(host_memory, begins_with_a_line_or_a_huge_page) {
  const auto address = [](std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(new_memory(bytes).get());
  };
  for (const std::size_t bytes : {0, 1, 1000, 1 << 20}) EXPECT_EQ(address(bytes) % 64, 0u);
  for (const std::size_t bytes : {large, large + 1}) EXPECT_EQ(address(bytes) % (2 << 20), 0u);
}

/// Empties what other tests have left.
void clear_free_list() { const no_free_list none; }

TEST(host_memory, large_temporaries_are_reused) {
  clear_free_list();
  const void* first = nullptr;
  {
    buffer<std::uint8_t> made(1, 1, large);
    first = made.pixels().data;
    const auto moved = std::move(made);
    EXPECT_EQ(moved.pixels().data, first);
    const buffer<std::uint8_t> small(1, 1, large - 1);
    EXPECT_EQ(free_list_bytes(), 0u);
  }
  EXPECT_EQ(free_list_bytes(), static_cast<std::size_t>(large));
  const buffer<std::uint16_t> again(1, 2, large / 4);
  EXPECT_EQ(static_cast<const void*>(again.pixels().data), first);
  EXPECT_EQ(free_list_bytes(), 0u);
}

TEST(host_memory, the_free_list_is_bounded) {
  clear_free_list();
  for (int i = 0; i < 80; ++i)
    give_back(new_memory(static_cast<std::size_t>(large + i)), static_cast<std::size_t>(large + i));
  EXPECT_LE(free_list_bytes(), std::size_t{256} << 20);
  EXPECT_GT(free_list_bytes(), std::size_t{200} << 20);
  EXPECT_TRUE(take_memory(static_cast<std::size_t>(large)));
  clear_free_list();
}

TEST(host_memory, a_limit_empties_the_free_list) {
  { const buffer<std::uint8_t> kept(1, 1, large); }
  const no_free_list limited;
  EXPECT_EQ(free_list_bytes(), 0u);
  { const buffer<std::uint8_t> dropped(1, 1, large); }
  EXPECT_EQ(free_list_bytes(), 0u);
}

}  // namespace
}  // namespace macareu::test
