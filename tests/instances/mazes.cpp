// Corridors hang together, reach everywhere, and have no short cuts.
#include <macareu/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace macareu {
namespace {

class maze {
 public:
  maze(std::string_view name, const extents& shape) : made_(generate(name, shape)), shape_(shape) {
    open_ = made_.mask.pixels<std::uint8_t>()[0];
  }

  std::int64_t pixels() const { return std::ranges::count(mask(), open_); }

  /// Steps from the first pixel over neighbours that differ in at most `reach` coordinates; -1 where none
  /// lead.
  std::vector<std::int64_t> steps(int reach) const {
    std::vector<std::int64_t> way(mask().size(), -1), queue{0};
    way[0] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next)
      for_neighbours(queue[next], reach, [&](std::int64_t q) {
        if (way[q] >= 0) return;
        way[q] = way[queue[next]] + 1;
        queue.push_back(q);
      });
    return way;
  }

  /// How many pixels have a given number of open face neighbours.
  std::vector<std::int64_t> degrees() const {
    std::vector<std::int64_t> count(7);
    for (std::int64_t p = 0; p < std::ssize(mask()); ++p) {
      if (mask()[p] != open_) continue;
      int degree = 0;
      for_neighbours(p, 1, [&](std::int64_t) { ++degree; });
      ++count[degree];
    }
    return count;
  }

 private:
  std::span<const std::uint8_t> mask() const { return made_.mask.pixels<std::uint8_t>(); }

  template <class Visit>
  void for_neighbours(std::int64_t p, int reach, const Visit& visit) const {
    const auto w = shape_.width(), h = shape_.height();
    const auto z = p / (w * h), y = p / w % h, x = p % w;
    for (std::int64_t dz = -1; dz <= 1; ++dz)
      for (std::int64_t dy = -1; dy <= 1; ++dy)
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
          const auto differ = std::abs(dz) + std::abs(dy) + std::abs(dx);
          if (differ == 0 || differ > reach) continue;
          if (z + dz < 0 || z + dz >= shape_.depth() || y + dy < 0 || y + dy >= h || x + dx < 0 ||
              x + dx >= w)
            continue;
          const auto q = p + (dz * h + dy) * w + dx;
          if (mask()[q] == open_) visit(q);
        }
  }

  instance made_;
  extents shape_;
  std::uint8_t open_;
};

const std::vector<extents> maze_images{{1, 1}, {1, 9}, {9, 1}, {2, 9},   {9, 2},   {3, 9},
                                       {9, 3}, {4, 4}, {5, 5}, {6, 6},   {7, 7},   {8, 8},
                                       {9, 9}, {9, 5}, {9, 7}, {31, 44}, {46, 35}, {64, 64}};
const std::vector<extents> maze_volumes{{1, 5, 5}, {2, 6, 7},  {3, 7, 6},    {4, 4, 9},
                                        {9, 8, 7}, {12, 9, 5}, {13, 12, 11}, {6, 1, 5}};

void expect_reached(std::string_view name, const extents& shape) {
  SCOPED_TRACE(std::string(name) + " " + to_string(shape));
  const maze m(name, shape);
  for (int reach = 1; reach <= shape.rank(); ++reach) {
    const auto steps = m.steps(reach);
    EXPECT_EQ(std::ssize(steps) - std::ranges::count(steps, -1), m.pixels()) << "reach " << reach;
  }
}

/// One way without branches: every pixel has two neighbours but for the two ends.
void expect_path(std::string_view name, const extents& shape) {
  SCOPED_TRACE(std::string(name) + " " + to_string(shape));
  const maze m(name, shape);
  if (m.pixels() == 1) return;
  const auto degrees = m.degrees();
  EXPECT_EQ(degrees[1], 2);
  EXPECT_EQ(degrees[2], m.pixels() - 2);
}

TEST(Mazes, EveryCorridorIsReached) {
  for (const auto* name : {"serpentine", "spiral", "snake", "flat"}) {
    for (const auto& shape : maze_images) expect_reached(name, shape);
    for (const auto& shape : maze_volumes) expect_reached(name, shape);
  }
}

TEST(Mazes, SpiralAndSnakeAreOnePath) {
  for (const auto* name : {"spiral", "snake"})
    for (const auto& shape : maze_images) expect_path(name, shape);
  for (const auto& shape : maze_volumes) expect_path("snake", shape);
}

/// Half of the image is corridor, and the way is nearly as long; diagonal steps only cut corners.
TEST(Mazes, SpiralIsLong) {
  const maze m("spiral", {101, 101});
  EXPECT_NEAR(static_cast<double>(m.pixels()), 101 * 101 / 2.0, 101);
  EXPECT_EQ(std::ranges::max(m.steps(1)), m.pixels() - 1);
  EXPECT_GE(std::ranges::max(m.steps(2)), m.pixels() - 1 - 101);
}

TEST(Mazes, SnakeIsLong) {
  const maze m("snake", {9, 9, 9});
  EXPECT_EQ(m.pixels(), 5 * (5 * 9 + 4) + 4);
  EXPECT_EQ(std::ranges::max(m.steps(1)), m.pixels() - 1);
}

/// The way runs along every corridor: 20 of them, and in a volume through every level, 5 of them.
TEST(Mazes, SerpentineHasNoShortCut) {
  EXPECT_GE(std::ranges::max(maze("serpentine", {60, 50}).steps(2)), 20 * 49);
  EXPECT_GE(std::ranges::max(maze("serpentine", {15, 60, 50}).steps(3)), 5 * 20 * 49);
}

}  // namespace
}  // namespace macareu
