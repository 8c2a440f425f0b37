// The pixel formulas of nuclei: hidden operators, on images with known answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <macareu/macareu.hpp>

namespace macareu::test {
namespace {

template <class T>
image row_of(const std::vector<T>& values, int channels = 1) {
  image made(dtype_of<T>, {1, static_cast<std::int64_t>(values.size()) / channels}, channels);
  std::ranges::copy(values, made.pixels<T>().begin());
  return made;
}

image mask_of(const std::vector<int>& values) {
  image made(dtype::boolean, {1, static_cast<std::int64_t>(values.size())});
  std::ranges::transform(values, made.pixels<bool>().begin(), [](int v) { return v != 0; });
  return made;
}

template <class T>
std::vector<T> result_of(const char* name, const std::vector<const_image_view>& inputs,
                         const arguments& given = {}) {
  const auto results = run_operator(*find_operator(name), inputs, given, {.device = "cpu"});
  const auto pixels = results[0].pixels<T>();
  return {pixels.begin(), pixels.end()};
}

TEST(nuclei_steps, stain_density_is_unmix_in_fixed_point) {
  const auto colour = row_of<std::uint8_t>({255, 255, 255, 120, 60, 140, 0, 0, 0, 200, 120, 180}, 3);
  const std::vector<number> white{240, 240, 240};
  const auto steps = result_of<std::uint16_t>("stain_density", {colour}, {{"white", white}});
  const auto exact = result_of<float>("unmix", {colour},
                                      {{"stains", "h_e"},
                                       {"unit_vectors", true},
                                       {"density", "optical"},
                                       {"white", white},
                                       {"give", "first"}});
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[0], 0);
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_NEAR(steps[i], exact[i] * 16384, 0.51);
  EXPECT_GT(steps[1], 1000);
}

/// Real brown, of which haematoxylin has nothing.
TEST(nuclei_steps, stain_density_of_two_is_their_sum) {
  const auto colour = row_of<std::uint8_t>({240, 240, 240, 120, 75, 40, 110, 90, 100, 250, 250, 250}, 3);
  const arguments given{{"stains", "h_dab"}, {"white", std::vector<number>{240, 240, 240}}};
  const auto of = [&](const char* stain) {
    auto all = given;
    all["give"] = stain;
    return result_of<std::uint16_t>("stain_density", {colour}, all);
  };
  const auto sum = of("sum"), first = of("first"), second = of("second");
  EXPECT_EQ(first[1], 0);
  EXPECT_GT(sum[1], 12000);
  EXPECT_GT(std::min(first[2], second[2]), 1000);
  EXPECT_NEAR(sum[2], first[2] + second[2], 1);
  EXPECT_EQ((std::vector<int>{sum[0], sum[3]}), (std::vector<int>{0, 0}));
}

TEST(nuclei_steps, pale_centres_are_filled_as_far_as_closed) {
  const auto f = row_of<std::uint16_t>({9, 1, 1, 9}), filled = row_of<std::uint16_t>({9, 7, 7, 9}),
             closed = row_of<std::uint16_t>({9, 5, 8, 9});
  EXPECT_EQ(result_of<std::uint16_t>("pale_centres", {f, filled, closed}),
            (std::vector<std::uint16_t>{9, 5, 7, 9}));
}

TEST(nuclei_steps, part_above_keeps_values_or_counts_them) {
  const auto f = row_of<std::uint16_t>({0, 10, 11, 60000});
  EXPECT_EQ(result_of<std::uint16_t>("part_above", {f}, {{"value", number(10.5)}}),
            (std::vector<std::uint16_t>{0, 0, 11, 60000}));
  EXPECT_EQ(result_of<std::uint16_t>("part_above", {f}, {{"value", number(10.5)}, {"share", true}}),
            (std::vector<std::uint16_t>{0, 0, 16384, 16384}));
}

TEST(nuclei_steps, local_level_lies_between_the_means_of_both_classes) {
  // Half of the pixels at 1000, the others at 200; then none above, where the global mean counts.
  const auto mean = row_of<float>({600, 200}), above = row_of<float>({500, 0}),
             share = row_of<float>({8192, 0});
  const auto level = result_of<std::uint16_t>(
      "local_level", {mean, above, share},
      {{"weight", number(0.25)}, {"pull", number(0.05)}, {"upper", number(1000)}, {"lower", number(200)}});
  EXPECT_EQ(level, (std::vector<std::uint16_t>{400, 400}));
  EXPECT_EQ(result_of<std::uint16_t>("local_level", {mean, above, share}, {{"least", number(5000)}}),
            (std::vector<std::uint16_t>{5000, 5000}));
}

TEST(nuclei_steps, foreground_is_dense_and_in_no_valley) {
  const auto f = row_of<std::uint16_t>({86, 85, 200, 200}),
             level = row_of<std::uint16_t>({100, 100, 100, 100});
  const auto blobs = row_of<float>({0, 0, -14, -16});
  EXPECT_EQ(result_of<bool>("stained_foreground", {f, level, blobs}),
            (std::vector<bool>{true, false, true, false}));
  const auto wrong = row_of<double>({0, 0, 0, 0});
  EXPECT_THROW(result_of<bool>("stained_foreground", {f, level, wrong}), usage_error);
}

TEST(nuclei_steps, landscape_is_low_in_the_middle_and_highest_outside) {
  const auto distance = row_of<float>({0, 4, 100, 4}), density = row_of<float>({2, 2, 2, 2}),
             blobs = row_of<float>({-1, 0, 0, 0});
  const auto inside = mask_of({1, 1, 1, 0});
  const auto land = result_of<std::uint16_t>("nuclear_landscape", {distance, density, blobs, inside},
                                             {{"pixel", number(0.25)},
                                              {"cap", number(3)},
                                              {"density_weight", number(0.5)},
                                              {"blob_weight", number(1)}});
  const auto height = [](double micrometres) {
    return static_cast<std::uint16_t>(65535 - (micrometres + 4) * 4096);
  };
  EXPECT_EQ(land, (std::vector<std::uint16_t>{height(0), height(2), height(4), 65535}));
}

TEST(nuclei_steps, landscape_saturates_below_the_outside) {
  const auto one = row_of<float>({1, 1}), deep = row_of<float>({1000, -1000});
  const auto land = result_of<std::uint16_t>("nuclear_landscape", {one, one, deep, mask_of({1, 1})});
  EXPECT_EQ(land, (std::vector<std::uint16_t>{0, 65534}));
}

TEST(nuclei_steps, labels_between_distances) {
  const auto zone = row_of<std::uint32_t>({3, 3, 3, 3, 4, 0});
  const auto distance = row_of<float>({0, 1, 2, 3, 3, INFINITY});
  const auto foreground = mask_of({1, 1, 0, 0, 1, 0});
  EXPECT_EQ(result_of<std::uint32_t>("labels_between", {zone, distance, foreground}, {{"up_to", number(2)}}),
            (std::vector<std::uint32_t>{3, 3, 3, 0, 0, 0}));
  EXPECT_EQ(result_of<std::uint32_t>("labels_between", {zone, distance, foreground}, {{"where", "inside"}}),
            (std::vector<std::uint32_t>{3, 3, 0, 0, 4, 0}));
  EXPECT_EQ(result_of<std::uint32_t>("labels_between", {zone, distance, foreground},
                                     {{"beyond", number(1)}, {"where", "outside"}, {"offset", number(10)}}),
            (std::vector<std::uint32_t>{3, 0, 13, 13, 0, 0}));
}

TEST(nuclei_steps, every_object_has_a_level) {
  const auto labels = row_of<std::uint32_t>({0, 1, 1, 2, 2, 3});
  const auto density = row_of<std::uint16_t>({900, 10, 11, 500, 501, 60000});
  const std::vector<number> levels{10.0, 500.5};
  EXPECT_EQ(result_of<bool>("above_own_level", {labels, density}, {{"levels", levels}}),
            (std::vector<bool>{false, false, true, false, true, false}));
}

}  // namespace
}  // namespace macareu::test
