// Erosion, dilation and what is made of them: footprints by hand, and every element against its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <macareu/operators.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

using bytes = std::vector<std::uint8_t>;

/// Where an erosion is 0 of an image that is 0 at its middle alone: the footprint, reflected.
bytes reflected_footprint(const extents& shape, const erosion_options& options) {
  picture<std::uint8_t> image{shape, bytes(static_cast<std::size_t>(shape.pixels()), 1)};
  image.pixels[image.pixels.size() / 2] = 0;
  auto found = values_of<std::uint8_t>(erosion(image, options, on_serial));
  for (auto& value : found) value = 1 - value;
  return found;
}

TEST(morphology, a_disc_is_scikit_images) {
  const bytes expected{0, 0, 1, 0, 0,  //
                       0, 1, 1, 1, 0,  //
                       1, 1, 1, 1, 1,  //
                       0, 1, 1, 1, 0,  //
                       0, 0, 1, 0, 0};
  EXPECT_EQ(reflected_footprint({5, 5}, {.radius = 2}), expected);
  EXPECT_EQ(reflected_footprint({5, 5}, {.element = erosion_element::diamond, .radius = 2}), expected);
}

/// Of even length as the image of a line: the middle of n pixels is n / 2, rounded down.
TEST(morphology, lines_have_as_many_pixels_as_their_length) {
  const auto line = [](double length, double angle) {
    auto found =
        reflected_footprint({5, 5}, {.element = erosion_element::line, .length = length, .angle = angle});
    std::ranges::reverse(found);
    return found;
  };
  EXPECT_EQ(line(4, 0), (bytes{0, 0, 0, 0, 0,  //
                               0, 0, 0, 0, 0,  //
                               1, 1, 1, 1, 0,  //
                               0, 0, 0, 0, 0,  //
                               0, 0, 0, 0, 0}));
  EXPECT_EQ(line(4, 90), (bytes{0, 0, 1, 0, 0,  //
                                0, 0, 1, 0, 0,  //
                                0, 0, 1, 0, 0,  //
                                0, 0, 1, 0, 0,  //
                                0, 0, 0, 0, 0}));
  EXPECT_EQ(line(5, 45), (bytes{0, 0, 0, 0, 0,  //
                                0, 0, 0, 1, 0,  //
                                0, 0, 1, 0, 0,  //
                                0, 1, 0, 0, 0,  //
                                0, 0, 0, 0, 0}));
  // Half of 60 degrees' cosine is exactly a half, and goes away from the middle.
  EXPECT_EQ(line(3, 60), (bytes{0, 0, 0, 0, 0,  //
                                0, 0, 0, 1, 0,  //
                                0, 0, 1, 0, 0,  //
                                0, 1, 0, 0, 0,  //
                                0, 0, 0, 0, 0}));
  EXPECT_EQ(line(4, 180 * 1001), line(4, 0));
  EXPECT_EQ(line(4, -90), line(4, 90));
  EXPECT_EQ(line(4, 120 - 180 * 7), line(4, -60));
  EXPECT_EQ(message_of<usage_error>([&] { line(2.5, 0); }),
            "length: expected a whole number of at least 1 and at most 1025, got '2.5'");
}

TEST(morphology, differences_saturate) {
  const picture<std::int8_t> image{{1, 3}, {-128, 127, 5}};
  EXPECT_EQ(values_of<std::int8_t>(morphological_gradient(image, {}, on_serial)),
            (std::vector<std::int8_t>{127, 127, 122}));
}

/// Without its middle, a footprint may give an opening above the image.
TEST(morphology, a_negative_difference_is_0_without_a_sign) {
  const picture<std::uint8_t> image{{1, 3}, {0, 9, 9}}, right{{1, 3}, {0, 0, 1}};
  EXPECT_EQ(values_of<std::uint8_t>(morphological_gradient(image, {.footprint = right}, on_serial)),
            (bytes{0, 0, 0}));
}

TEST(morphology, what_no_footprint_reaches_has_the_identity) {
  picture<std::uint8_t> image{{1, 3}, {4, 5, 6}}, right{{1, 3}, {0, 0, 1}};
  EXPECT_EQ(values_of<std::uint8_t>(erosion(image, {.footprint = right}, on_serial)), (bytes{5, 6, 255}));
  EXPECT_EQ(values_of<std::uint8_t>(dilation(image, {.footprint = right}, on_serial)), (bytes{0, 4, 5}));
  image = {{1, 3}, {1, 0, 0}, dtype::boolean};
  EXPECT_EQ(values_of<std::uint8_t>(erosion(image, {.footprint = right}, on_serial)), (bytes{0, 0, 1}));
}

TEST(morphology, reconstruction_keeps_what_the_footprint_fits_into) {
  const picture<std::uint8_t> image{{1, 9}, {7, 0, 3, 5, 3, 1, 0, 9, 0}};
  const opening_by_reconstruction_options options{.element = opening_by_reconstruction_element::rectangle};
  EXPECT_EQ(values_of<std::uint8_t>(opening_by_reconstruction(image, options, on_serial)),
            (bytes{0, 0, 3, 3, 3, 1, 0, 0, 0}));
}

TEST(morphology, bad_footprints_are_named) {
  const picture<std::uint8_t> image{{2, 2}, {1, 2, 3, 4}}, none{{1, 2}, {0, 0}}, deep{{1, 1, 1}, {1}};
  const macareu::image image_of_no_pixels(dtype::u8, {0, 0});
  const auto message = [&](const const_image_view& footprint) {
    return message_of<usage_error>([&] { opening(image, {.footprint = footprint}); });
  };
  EXPECT_EQ(message(none), "opening: footprint is empty: all of its 2 pixels are zero");
  EXPECT_EQ(message(image_of_no_pixels), "opening: footprint is empty: it is 0 x 0");
  EXPECT_EQ(message(deep), "opening: footprint: expected as many axes as the image, 2, got 3");
  const picture<float> lost{{2, 1}, {0, std::nanf("")}};
  EXPECT_EQ(message(lost),
            "opening: footprint is NaN at row 1, column 0; replace NaN first, it has no order");
}

TEST(morphology, a_footprint_has_no_other_shape) {
  const picture<std::uint8_t> image{{2, 2}, {1, 2, 3, 4}};
  const auto message = [&](const opening_options& options) {
    return message_of<usage_error>([&] { opening(image, options); });
  };
  EXPECT_EQ(message({.footprint = image, .radius = 2}),
            "opening: radius and footprint are both given: use one of them");
  EXPECT_EQ(message({.footprint = image, .element = opening_element::line}),
            "opening: element and footprint are both given: use one of them");
  EXPECT_NO_THROW(opening(image, {.footprint = image, .border = opening_border::wrap}));
}

}  // namespace
}  // namespace macareu::test
