// border::fold against the definitions of numpy.pad: edge, symmetric, reflect, wrap.
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "patterns/window.hpp"

namespace macareu::test {
namespace {

constexpr std::int64_t far = 40;

/// The indices 0 .. size - 1 padded by `far` on both sides, by laying whole copies beside each other.
std::deque<std::int64_t> padded(border_mode mode, std::int64_t size) {
  std::deque<std::int64_t> line;
  if (mode == border_mode::mirror) {  // a walk to and fro, which turns at the ends
    std::vector<std::int64_t> walk;
    for (std::int64_t i = 0, step = 1; std::ssize(walk) < size + far; i += step) {
      walk.push_back(i);
      if (size == 1)
        step = 0;
      else if (i + step < 0 || i + step >= size)
        step = -step;
    }
    for (std::int64_t i = 0; i < size + far; ++i) line.push_back(walk[static_cast<std::size_t>(i)]);
    for (std::int64_t i = 1; i <= far; ++i) line.push_front(walk[static_cast<std::size_t>(i)]);
    return line;
  }
  for (std::int64_t i = 0; i < size; ++i) line.push_back(i);
  for (std::int64_t added = 0; added < far; ++added) {
    const bool reversed = added / size % 2 == 0;
    const auto onward = added % size, back = size - 1 - onward;
    if (mode == border_mode::nearest) {
      line.push_front(0);
      line.push_back(size - 1);
    } else if (mode == border_mode::reflect && reversed) {
      line.push_front(onward);
      line.push_back(back);
    } else {
      line.push_front(back);
      line.push_back(onward);
    }
  }
  return line;
}

TEST(borders, fold_as_numpy_pads) {
  for (const auto mode : {border_mode::nearest, border_mode::reflect, border_mode::mirror, border_mode::wrap})
    for (std::int64_t size = 1; size <= 9; ++size) {
      const border<int> edge{mode, 0};
      const auto line = padded(mode, size);
      for (std::int64_t i = -far; i < size + far; ++i)
        ASSERT_EQ(edge.fold(i, size), line[static_cast<std::size_t>(i + far)])
            << "mode " << static_cast<int>(mode) << ", size " << size << ", index " << i;
    }
}

TEST(borders, the_pattern_of_each_mode) {
  const auto folded = [](border_mode mode) {
    std::vector<std::int64_t> line;
    for (std::int64_t i = -4; i < 8; ++i) line.push_back(border<int>{mode, 0}.fold(i, 4));
    return line;
  };
  EXPECT_EQ(folded(border_mode::nearest), (std::vector<std::int64_t>{0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3}));
  EXPECT_EQ(folded(border_mode::reflect), (std::vector<std::int64_t>{3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0}));
  EXPECT_EQ(folded(border_mode::mirror), (std::vector<std::int64_t>{2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1}));
  EXPECT_EQ(folded(border_mode::wrap), (std::vector<std::int64_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST(borders, a_constant_is_read_outside) {
  const std::vector<int> pixels{1, 2, 3, 4, 5, 6};
  const view<const int> image{pixels.data(), 1, 2, 3, 6, 3, 1};
  const near_pixels<int> near{image, {border_mode::constant, -7}, {0, 0, 0}};
  EXPECT_EQ(near(0, 0, 0), 1);
  EXPECT_EQ(near(0, 1, 2), 6);
  for (const int d : {-2, -1, 1, 2}) EXPECT_EQ(near(d, 0, 0), -7);
  EXPECT_EQ(near(0, -1, 0), -7);
  EXPECT_EQ(near(0, 2, 0), -7);
  EXPECT_EQ(near(0, 0, 3), -7);
  EXPECT_EQ(near(0, 0, -1), -7);
}

}  // namespace
}  // namespace macareu::test
