// Sums over boxes along one axis after another against their definition.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "engines/serial/engine.hpp"
#include "patterns/boxes_by_axes.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

/// The sums of values and squares, mixed.
struct mixed_sums {
  using sum = std::uint64_t;
  static constexpr int terms = 2;
  sum lift(int term, std::uint8_t value) const { return term == 0 ? value : sum{value} * value; }
  sum operator()(site, std::uint8_t value, const box_sums<mixed_sums>& box) const {
    return box.of[0] * 1'000'003 + box.of[1] * 7 + value;
  }
};

TEST(boxes, by_axes_are_those_by_definition) {
  dice from(seed_of("boxes"));
  for (int i = 0; i < 200; ++i) {
    const bool volume = from.once_in(2);
    const auto depth = volume ? from.between(1, 5) : 1, height = from.between(1, 9),
               width = from.between(1, 9);
    const buffer<std::uint8_t> pixels(depth, height, width);
    const buffer<std::uint64_t> expected(depth, height, width), found(depth, height, width);
    const auto count = static_cast<std::size_t>(depth * height * width);
    for (std::size_t k = 0; k < count; ++k)
      pixels.pixels().data[k] = static_cast<std::uint8_t>(from.below(256));
    const auto radius = [&] { return static_cast<int>(from.between(0, 4)); };
    const window_radius reach{volume ? radius() : 0, radius(), radius()};
    constexpr std::array modes{border_mode::constant, border_mode::nearest, border_mode::reflect,
                               border_mode::mirror, border_mode::wrap};
    const border<std::uint8_t> edge{from.pick(modes), static_cast<std::uint8_t>(from.below(256))};
    const context how;
    job work{how, {}};
    serial::engine engine(work);
    const framed<std::uint8_t> in(pixels.pixels());
    const framed<std::uint64_t> a(expected.pixels()), b(found.pixels());
    engine.window(box_window<mixed_sums>{{}, reach}, edge, a, in.reading());
    boxes_by_axes<serial::engine, mixed_sums, std::uint8_t, std::uint64_t>(engine, {}, reach, edge, b,
                                                                           in.reading());
    ASSERT_TRUE(std::equal(a.pixels().data, a.pixels().data + count, b.pixels().data)) << i;
  }
}

}  // namespace
}  // namespace macareu::test
