// Fill holes: known answers, and the best path to the border by relaxation.
#include "operators/by_definition.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

template <class T>
std::vector<T> filled(const picture<T>& f, const fill_holes_options& options = {}) {
  return values_of<T>(fill_holes(f.view(), options, on_serial));
}

/// The example of SciPy's binary_fill_holes.
TEST(fill_holes, fills_a_binary_ring) {
  const picture<std::uint8_t> ring{{5, 5},
                                   {0, 0, 0, 0, 0,  //
                                    0, 1, 1, 1, 0,  //
                                    0, 1, 0, 1, 0,  //
                                    0, 1, 1, 1, 0,  //
                                    0, 0, 0, 0, 0},
                                   dtype::boolean};
  auto expected = ring.pixels;
  expected[12] = 1;
  EXPECT_EQ(filled(ring), expected);
}

TEST(fill_holes, a_diagonal_ring_holds_by_face_and_leaks_by_full) {
  const picture<std::uint8_t> diamond{{5, 5},
                                      {0, 0, 0, 0, 0,  //
                                       0, 0, 1, 0, 0,  //
                                       0, 1, 0, 1, 0,  //
                                       0, 0, 1, 0, 0,  //
                                       0, 0, 0, 0, 0},
                                      dtype::boolean};
  EXPECT_EQ(filled(diamond)[12], 1) << "face is the default";
  EXPECT_EQ(filled(diamond, {.connectivity = 4})[12], 1);
  EXPECT_EQ(filled(diamond, {.connectivity = 8}), diamond.pixels);
}

TEST(fill_holes, grey_basins_rise_to_their_lowest_pass) {
  const picture<std::int16_t> f{{5, 5}, {9, 9, 9, 9, 9,  //
                                         9, 2, 1, 8, 9,  //
                                         9, 3, 0, 2, 6,  //
                                         9, 2, 1, 8, 9,  //
                                         9, 9, 9, 9, 9}};
  const std::vector<std::int16_t> expected{9, 9, 9, 9, 9,  //
                                           9, 6, 6, 8, 9,  //
                                           9, 6, 6, 6, 6,  //
                                           9, 6, 6, 8, 9,  //
                                           9, 9, 9, 9, 9};
  EXPECT_EQ(filled(f), expected);
}

TEST(fill_holes, thin_images_are_all_border) {
  const picture<std::uint8_t> row{{1, 5}, {5, 0, 7, 0, 5}};
  EXPECT_EQ(filled(row), row.pixels);
  const picture<std::uint8_t> slice{{1, 3, 3}, {5, 5, 5, 5, 0, 5, 5, 5, 5}};
  EXPECT_EQ(filled(slice), slice.pixels) << "the only slice of a volume is its border";
  EXPECT_EQ(filled(picture<std::uint8_t>{{3, 3}, slice.pixels})[4], 5)
      << "an image of the same pixels has a hole";
}

TEST(fill_holes, a_hole_inside_a_volume) {
  picture<std::uint8_t> cube{{3, 3, 3}, std::vector<std::uint8_t>(27, 1), dtype::boolean};
  cube.pixels[13] = 0;
  EXPECT_EQ(filled(cube)[13], 1);
  cube.pixels[4] = 0;
  EXPECT_EQ(filled(cube)[13], 0) << "open through the first slice";
}

TEST(fill_holes, infinite_walls_fill_to_infinity) {
  const float inf = std::numeric_limits<float>::infinity();
  picture<float> f{{3, 3}, std::vector<float>(9, inf)};
  f.pixels[4] = -inf;
  EXPECT_EQ(filled(f)[4], inf);
}

TEST(fill_holes, equals_its_definition) {
  for_random_images("fill_holes", 1000, []<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    const auto expected = without_holes(lattice(f.shape, near.count), f.pixels);
    const auto result = fill_holes(f.view(), {.connectivity = near.count}, on_serial);
    ASSERT_TRUE(same_bits(result, picture<T>{f.shape, expected, type}.view()));
  });
}

}  // namespace
}  // namespace macareu::test
