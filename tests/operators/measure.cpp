#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <macareu/macareu.hpp>

#include "operators/pictures.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

double value(const table& of, std::string_view column, std::size_t row = 0) {
  return of[column][row].to_double();
}

TEST(measure, one_pixel_and_a_bar) {
  const picture<std::uint8_t> labels{{4, 6}, {0, 0, 0, 0, 0, 0,  //
                                              0, 2, 2, 2, 2, 0,  //
                                              0, 0, 0, 0, 0, 0,  //
                                              0, 0, 0, 0, 7, 0}};
  const picture<std::int16_t> weights{{4, 6}, std::vector<std::int16_t>(24, -3)};
  for (const char* device : {"serial", "cpu"}) {
    const auto found = measure(labels.view(), weights.view(), {}, {.device = device});
    ASSERT_EQ(found.rows(), 2U);
    EXPECT_EQ(value(found, "label", 0), 2);
    EXPECT_EQ(value(found, "label", 1), 7);
    EXPECT_EQ(value(found, "area"), 4);
    EXPECT_EQ(value(found, "bbox-0"), 1);
    EXPECT_EQ(value(found, "bbox-3"), 5);
    EXPECT_EQ(value(found, "centroid-1"), 2.5);
    EXPECT_EQ(value(found, "orientation"), std::numbers::pi / 2);
    EXPECT_EQ(value(found, "eccentricity"), 1);
    EXPECT_EQ(value(found, "axis_direction-0-1"), 1);
    EXPECT_EQ(value(found, "euler_number"), 1);
    EXPECT_EQ(value(found, "intensity_sum"), -12);
    EXPECT_EQ(value(found, "intensity_std"), 0);
    EXPECT_EQ(value(found, "intensity_max"), -3);
    EXPECT_EQ(value(found, "perimeter", 1), 0);
    EXPECT_EQ(value(found, "extent", 1), 1);
  }
}

TEST(measure, spacing_scales) {
  const picture<std::uint8_t> labels{{2, 2, 2}, {1, 0, 0, 0, 1, 0, 0, 0}};
  const auto found = measure(labels.view(), {.spacing = {2, 1, 3}}, on_serial);
  EXPECT_EQ(value(found, "num_pixels"), 2);
  EXPECT_EQ(value(found, "area"), 12);
  EXPECT_EQ(value(found, "centroid-0"), 1);
  EXPECT_EQ(value(found, "inertia_tensor-1-1"), 1);
  EXPECT_EQ(value(found, "axis_direction-0-0"), 1);
  EXPECT_THROW(measure(labels.view(), {.spacing = {1, 2}}), usage_error);
}

/// Few and many, with gaps between their numbers: rows are moved together, or counted first.
TEST(measure, numbers_without_objects_have_no_rows) {
  for (const std::uint32_t numbers : {1000U, 70000U}) {
    std::vector<std::uint32_t> pixels, expected;  // label l has l % 3 pixels, or none: 300 in a row
    for (std::uint32_t label = 1; label <= numbers; ++label) {
      const auto count = label / 300 % 3 == 1 ? 0 : label % 3;
      pixels.insert(pixels.end(), count, label);
      if (count > 0) expected.push_back(label);
    }
    const picture<std::uint32_t> labels{{1, static_cast<std::int64_t>(pixels.size())}, pixels};
    for (const char* device : {"serial", "cpu"}) {
      const auto found = measure(labels.view(), {}, {.device = device});
      ASSERT_EQ(found.rows(), expected.size());
      for (std::size_t row = 0; row < expected.size(); ++row) {
        ASSERT_EQ(value(found, "label", row), expected[row]);
        ASSERT_EQ(value(found, "num_pixels", row), expected[row] % 3);
      }
    }
  }
}

TEST(measure, refuses_what_are_no_labels) {
  const picture<float> fractions{{1, 2}, {1, 2}};
  EXPECT_THROW(measure(fractions.view()), usage_error);
  const picture<std::uint32_t> sparse{{1, 2}, {1, 4000000000U}};
  EXPECT_THROW(measure(sparse.view()), usage_error);
  EXPECT_EQ(measure(relabel(sparse.view())).rows(), 2U);  // as the message advises
  const picture<std::uint8_t> labels{{1, 2}, {1, 1}};
  const picture<float> unknown{{1, 2}, {1, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_THROW(measure(labels.view(), unknown.view()), usage_error);
  EXPECT_THROW(run_operator(*find_operator("measure"), std::array{labels.view()}), usage_error);
}

/// Also what is not a number, or would leave no digits to the objects.
TEST(measure, intensities_outside_of_objects_do_not_matter) {
  const picture<std::uint16_t> labels{{2, 3}, {1, 1, 0, 0, 2, 0}};
  for (const float nothing :
       {-3.4e38F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -0.0F}) {
    const picture<float> weights{{2, 3}, {0.25F, 1.5F, nothing, nothing, -3, nothing}};
    for (const char* device : {"serial", "cpu"})
      for (const auto columns : {measure_columns::all, measure_columns::intensity}) {
        const auto found = measure(labels.view(), weights.view(), {.columns = columns}, {.device = device});
        EXPECT_EQ(value(found, "intensity_sum", 0), 1.75) << nothing;
        EXPECT_EQ(value(found, "intensity_min", 0), 0.25) << nothing;
        EXPECT_EQ(value(found, "intensity_mean", 1), -3) << nothing;
      }
  }
  const picture<std::int64_t> wide{{2, 3}, {1, 2, std::int64_t{1} << 62, 0, 5, -(std::int64_t{1} << 62)}};
  EXPECT_EQ(value(measure(labels.view(), wide.view()), "intensity_sum", 0), 3);
}

TEST(measure, says_where_an_intensity_has_no_mean) {
  const picture<std::uint8_t> labels{{2, 2}, {0, 1, 1, 1}};
  const double infinite = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* device : {"serial", "cpu"})
    for (const auto& [bad, word] : {std::pair{nan, "NaN"}, {-nan, "NaN"}, {-infinite, "infinite"}}) {
      const picture<double> weights{{2, 2}, {bad, 1, bad, 7}};
      try {
        measure(labels.view(), weights.view(), {}, {.device = device});
        ADD_FAILURE() << word;
      } catch (const usage_error& e) {
        EXPECT_EQ(std::string(e.what()), "measure: intensity is " + std::string(word) +
                                             " at row 1, column 0, in an object; replace it, it has no mean");
      }
    }
}

/// A ball has known surface, volume and shape, whatever the size of voxels.
TEST(measure, surface_of_a_ball) {
  for (const auto& spacing : {std::array{1.0, 1.0, 1.0}, {2.0, 1.0, 1.0}, {1.0, 1.5, 3.0}}) {
    constexpr double radius = 24;
    const extents shape{60, 60, 60};
    picture<std::uint8_t> ball{shape, std::vector<std::uint8_t>(216000)};
    for (std::int64_t i = 0; i < 216000; ++i) {
      const double z = (static_cast<double>(i / 3600) - 29.3) * spacing[0],
                   y = (static_cast<double>(i / 60 % 60) - 29.6) * spacing[1],
                   x = (static_cast<double>(i % 60) - 29.4) * spacing[2];
      ball.pixels[static_cast<std::size_t>(i)] = z * z + y * y + x * x <= radius * radius;
    }
    const auto found = measure(ball.view(), {.spacing = {spacing[0], spacing[1], spacing[2]}});
    EXPECT_NEAR(value(found, "surface_area") / (4 * std::numbers::pi * radius * radius), 1, 0.02);
    EXPECT_NEAR(value(found, "sphericity"), 1, 0.03);
    EXPECT_NEAR(value(found, "axis_major_length"), 2 * radius, 0.5);
    EXPECT_EQ(value(found, "euler_number"), 1);
  }
}

TEST(measure, engines_and_threads_give_the_same_bits) {
  std::mt19937 dice(5);
  for (std::int64_t round = 0; round < scaled(600); ++round) {
    const auto side = [&](unsigned most) { return static_cast<std::int64_t>(1 + dice() % most); };
    const auto shape = round % 2 ? extents{side(30), side(90)} : extents{side(8), side(9), side(20)};
    const auto count = static_cast<std::size_t>(shape.pixels());
    picture<std::uint16_t> labels{shape, std::vector<std::uint16_t>(count)};
    picture<double> weights{shape, std::vector<double>(count)};
    const auto names = 1 + dice() % (round % 3 ? 6 : 900);
    for (std::size_t i = 0; i < count; ++i) {
      labels.pixels[i] =
          i > 0 && dice() % 4 ? labels.pixels[i - 1] : static_cast<std::uint16_t>(dice() % names);
      weights.pixels[i] = std::ldexp(static_cast<double>(dice()) - 2e9, static_cast<int>(dice() % 40) - 30);
    }
    const auto expected = measure(labels.view(), weights.view(), {}, on_serial);
    for (const int threads : {1, 2, 3}) {
      const auto found = measure(labels.view(), weights.view(), {}, {.device = "cpu", .threads = threads});
      ASSERT_EQ(to_csv(found), to_csv(expected)) << "round " << round;  // nan is not equal to itself
    }
  }
}

/// Threads share large images by bands of rows: objects reach from one into the next.
TEST(measure, bands_meet) {
  const std::int64_t height = 400, width = 450;
  std::mt19937 random(7);
  std::vector<std::uint32_t> pixels;
  std::vector<std::uint8_t> weights;
  for (std::int64_t i = 0; i < height * width; ++i) {
    const auto block = static_cast<std::uint32_t>(i / width / 30 * 15 + i % width / 30);
    pixels.push_back(random() % 4 == 0 ? 0 : block % 7);
    weights.push_back(static_cast<std::uint8_t>(random()));
  }
  const picture<std::uint32_t> labels{{height, width}, pixels};
  const picture<std::uint8_t> intensity{{height, width}, weights};
  const auto expected = measure(labels.view(), intensity.view(), {}, on_serial);
  for (const int threads : {1, 2, 3}) {
    const auto found = measure(labels.view(), intensity.view(), {}, {.device = "cpu", .threads = threads});
    EXPECT_EQ(to_csv(found), to_csv(expected)) << threads;
  }
}

TEST(measure, columns_of_intensities_alone) {
  const picture<std::uint8_t> labels{{2, 3}, {1, 1, 4, 0, 4, 4}};
  const picture<std::int32_t> weights{{2, 3}, {-7, 9, 2000000000, 5, 2000000000, -3}};
  const measure_options alone{.columns = measure_columns::intensity};
  for (const char* device : {"serial", "cpu"}) {
    const context how{.device = device};
    const auto all = measure(labels.view(), weights.view(), {}, how);
    const auto found = measure(labels.view(), weights.view(), alone, how);
    ASSERT_EQ(found.columns.size(), 7U);
    for (const auto& column : found.columns)
      for (std::size_t row = 0; row < 2; ++row)
        EXPECT_EQ(value(found, column.name, row), value(all, column.name, row)) << column.name;
    EXPECT_THROW(measure(labels.view(), alone, how), usage_error);
  }
}

TEST(measure, sizes_alone) {
  const picture<std::uint8_t> labels{{2, 3}, {1, 1, 4, 0, 4, 4}};
  for (const char* device : {"serial", "cpu"})
    EXPECT_EQ(to_csv(measure(labels.view(), {.columns = measure_columns::size}, {.device = device})),
              "label,num_pixels\n1,2\n4,3\n");
}

}  // namespace
}  // namespace macareu::test
