// Reconstruction: known answers, and elementary geodesic dilations until nothing changes.
#include "operators/by_definition.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

template <class T>
std::vector<T> reconstructed(const picture<T>& marker, const picture<T>& mask,
                             const reconstruct_options& options = {}) {
  return values_of<T>(reconstruct(marker.view(), mask.view(), options, on_serial));
}

/// The example of scikit-image's documentation: two bumps, the smaller one is lost.
TEST(reconstruct, keeps_the_bump_that_has_a_marker) {
  const picture<double> mask{{1, 9}, {0, 1, 2, 1, 0, 2, 5, 2, 0}};
  const picture<double> marker{{1, 9}, {0, 0, 0, 0, 0, 0, 4, 0, 0}};
  EXPECT_EQ(reconstructed(marker, mask), (std::vector<double>{0, 0, 0, 0, 0, 2, 4, 2, 0}));
}

TEST(reconstruct, neighbours_decide_what_is_connected) {
  const picture<std::uint8_t> mask{{3, 3}, {9, 0, 0, 0, 9, 0, 0, 0, 9}},
      marker{{3, 3}, {7, 0, 0, 0, 0, 0, 0, 0, 0}};
  EXPECT_EQ(reconstructed(marker, mask, {.connectivity = 4}),
            (std::vector<std::uint8_t>{7, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(reconstructed(marker, mask, {.connectivity = 8}),
            (std::vector<std::uint8_t>{7, 0, 0, 0, 7, 0, 0, 0, 7}));
  EXPECT_EQ(reconstructed(marker, mask), reconstructed(marker, mask, {.connectivity = connectivity::full}));

  picture<std::uint8_t> cube{{2, 2, 2}, {9, 0, 0, 0, 0, 0, 0, 9}},
      corner{{2, 2, 2}, {5, 0, 0, 0, 0, 0, 0, 0}};
  EXPECT_EQ(reconstructed(corner, cube, {.connectivity = 18})[7], 0);
  EXPECT_EQ(reconstructed(corner, cube, {.connectivity = 26})[7], 5);
  cube.pixels[6] = 9;  // shares an edge with the first and a face with the last
  EXPECT_EQ(reconstructed(corner, cube, {.connectivity = 18})[7], 5);
  EXPECT_EQ(reconstructed(corner, cube, {.connectivity = 6})[7], 0);
}

TEST(reconstruct, by_erosion_sinks_onto_the_mask) {
  const picture<std::uint8_t> mask{{1, 7}, {3, 1, 3, 9, 2, 0, 2}},
      marker{{1, 7}, {255, 1, 255, 255, 255, 255, 255}};
  EXPECT_EQ(reconstructed(marker, mask, {.by = reconstruct_by::erosion}),
            (std::vector<std::uint8_t>{3, 1, 3, 9, 9, 9, 9}));
}

TEST(reconstruct, a_marker_that_is_the_mask_stays) {
  const picture<std::int16_t> mask{{2, 3}, {-5, 32767, 0, -32768, 4, 4}};
  EXPECT_EQ(reconstructed(mask, mask), mask.pixels);
  EXPECT_EQ(reconstructed(mask, mask, {.by = reconstruct_by::erosion}), mask.pixels);
}

TEST(reconstruct, sixty_four_bit_values_are_exact) {
  const auto big = (std::uint64_t{1} << 53) + 1, top = std::numeric_limits<std::uint64_t>::max();
  const picture<std::uint64_t> mask{{1, 4}, {top, big, top - 1, big + 1}}, marker{{1, 4}, {top - 1, 0, 0, 0}};
  EXPECT_EQ(reconstructed(marker, mask), (std::vector<std::uint64_t>{top - 1, big, big, big}));
  const auto low = std::numeric_limits<std::int64_t>::min();
  const picture<std::int64_t> floor{{1, 3}, {low, low + 1, low}}, above{{1, 3}, {low, low + 3, low + 2}};
  EXPECT_EQ(reconstructed(above, floor, {.by = reconstruct_by::erosion}),
            (std::vector<std::int64_t>{low, low + 1, low + 1}));
}

TEST(reconstruct, infinities_are_values) {
  const double inf = std::numeric_limits<double>::infinity();
  const picture<double> mask{{1, 5}, {inf, inf, 3, inf, -inf}}, marker{{1, 5}, {-inf, inf, -inf, -inf, -inf}};
  EXPECT_EQ(reconstructed(marker, mask), (std::vector<double>{inf, inf, 3, 3, -inf}));
}

TEST(reconstruct, negative_zero_lies_below_zero) {
  const picture<float> mask{{1, 3}, {0.f, -0.f, 0.f}}, marker{{1, 3}, {0.f, -1.f, -1.f}};
  const auto found = reconstructed(marker, mask);
  EXPECT_EQ(found, (std::vector<float>{0, 0, 0}));
  EXPECT_FALSE(std::signbit(found[0]));
  EXPECT_TRUE(std::signbit(found[1]) && std::signbit(found[2]));
  // They compare equal, so +0 over -0 is no marker above its mask; it is clipped in silence.
  const auto clipped = reconstructed(picture<float>{{1, 1}, {0.f}}, picture<float>{{1, 1}, {-0.f}});
  EXPECT_TRUE(std::signbit(clipped[0]));
}

TEST(reconstruct, clip_cuts_the_marker) {
  const picture<std::uint8_t> mask{{1, 4}, {3, 8, 8, 1}}, marker{{1, 4}, {200, 0, 0, 9}};
  EXPECT_EQ(reconstructed(marker, mask, {.clip = true}), (std::vector<std::uint8_t>{3, 3, 3, 1}));
  const picture<std::uint8_t> low{{1, 4}, {0, 9, 9, 9}};
  EXPECT_EQ(reconstructed(low, mask, {.by = reconstruct_by::erosion, .clip = true}),
            (std::vector<std::uint8_t>{3, 8, 8, 8}));
}

TEST(reconstruct, fills_memory_of_the_caller) {
  const picture<std::uint8_t> mask{{2, 2}, {9, 9, 0, 9}};
  picture<std::uint8_t> marker{{2, 2}, {4, 0, 0, 0}}, out{{2, 2}, {1, 2, 3, 4}};
  const std::vector<std::uint8_t> expected{4, 4, 0, 4};
  reconstruct(std::as_const(marker).view(), mask.view(), out.view());
  EXPECT_EQ(out.pixels, expected);
  EXPECT_EQ(marker.pixels, (std::vector<std::uint8_t>{4, 0, 0, 0}));
  reconstruct(std::as_const(marker).view(), mask.view(), marker.view());
  EXPECT_EQ(marker.pixels, expected) << "in place of the marker";
}

TEST(reconstruct, equals_its_definition) {
  for_random_images("reconstruct", 1000, []<class T>(dtype type, neighbours near, dice& from) {
    auto mask = draw_picture<T>(from, type, near.rank);
    auto marker = mask;
    const bool by_erosion = from.once_in(2);
    for (auto& value : marker.pixels) {
      const T other = from.pick(mask.pixels);
      value = by_erosion ? higher(value, other) : lower(value, other);
    }
    const auto expected =
        reconstruction(lattice(mask.shape, near.count), marker.pixels, mask.pixels, by_erosion);
    const auto result = reconstruct(
        std::as_const(marker).view(), std::as_const(mask).view(),
        {.by = by_erosion ? reconstruct_by::erosion : reconstruct_by::dilation, .connectivity = near.count},
        on_serial);
    ASSERT_TRUE(same_bits(result, picture<T>{mask.shape, expected, type}.view()));
  });
}

}  // namespace
}  // namespace macareu::test
