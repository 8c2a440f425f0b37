// Operators that read label images in rows: evaluate and merge_regions.
#include <gtest/gtest.h>

#include <vector>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

using labels = picture<std::uint32_t>;

TEST(evaluate, of_equal_images_is_perfect) {
  const labels of{{2, 4}, {1, 1, 0, 9, 0, 1, 0, 9}};
  const auto rows = evaluate(of.view(), of.view(), {}, on_serial);
  for (const auto* score : {"aji", "aji_plus", "dice", "pq", "dq", "sq", "f1", "precision", "recall"})
    EXPECT_EQ(rows[score][0].to_double(), 1) << score;
  EXPECT_EQ(rows["true_objects"][0].to_double(), 2);
  EXPECT_EQ(rows["misses"][0].to_double(), 0);
}

TEST(evaluate, of_one_split_and_one_missed_object) {
  // The first is split in halves, one of which is taken (2 of 4 pixels); the second is missed.
  const labels truth{{2, 5}, {1, 1, 0, 5, 5, 1, 1, 0, 5, 5}};
  const picture<std::int16_t> found{{2, 5}, {3, 4, -1, 0, 0, 3, 4, 0, 0, 0}};
  const auto rows = evaluate(truth.view(), found.view(), {.thresholds = {0.25, 0.5}}, on_serial);
  ASSERT_EQ(rows.rows(), 2u);
  EXPECT_DOUBLE_EQ(rows["aji"][0].to_double(), 2. / (4 + 4 + 2));
  EXPECT_EQ(rows["true_positives"][0].to_double(), 1);
  EXPECT_EQ(rows["true_positives"][1].to_double(), 0);
  EXPECT_EQ(rows["false_positives"][0].to_double(), 1);
  EXPECT_DOUBLE_EQ(rows["pq"][0].to_double(), 0.5 * 0.5);
  EXPECT_DOUBLE_EQ(rows["dice"][1].to_double(), 2. * 4 / (8 + 4));
}

TEST(evaluate, without_objects_is_zero) {
  const labels none{{1, 2}, {0, 0}}, one{{1, 2}, {0, 4}};
  EXPECT_EQ(evaluate(none.view(), one.view())["aji"][0].to_double(), 0);
  EXPECT_EQ(evaluate(none.view(), none.view())["dice"][0].to_double(), 0);
}

TEST(evaluate, refuses_fractions) {
  const labels truth{{1, 1}, {1}};
  const picture<float> found{{1, 1}, {1}};
  EXPECT_EQ(message_of<usage_error>([&] { evaluate(truth.view(), found.view()); }),
            "evaluate: found has pixels of type f32, but labels are whole numbers");
}

TEST(merge_regions, joins_the_halves_of_a_square) {
  labels of{{10, 10}, std::vector<std::uint32_t>(100, 0)};
  for (std::int64_t i = 0; i < 100; ++i)
    if (i / 10 >= 2 && i / 10 < 8 && i % 10 >= 2 && i % 10 < 8)
      of.pixels[static_cast<std::size_t>(i)] = i % 10 < 5 ? 4 : 2;
  const picture<float> flat{{10, 10}, std::vector<float>(100, 1.5f)};
  const auto merged = values_of<std::uint32_t>(merge_regions(of.view(), flat.view(), {}, on_serial));
  for (std::size_t i = 0; i < merged.size(); ++i) EXPECT_EQ(merged[i], of.pixels[i] ? 2u : 0u) << i;
  const auto limited =
      values_of<std::uint32_t>(merge_regions(of.view(), flat.view(), {.max_area = 35}, on_serial));
  EXPECT_EQ(limited, of.pixels);
}

TEST(merge_regions, keeps_regions_behind_a_dip) {
  const labels of{{1, 6}, {1, 1, 1, 2, 2, 2}};
  const picture<std::uint8_t> dip{{1, 6}, {100, 100, 1, 1, 100, 100}};
  const auto kept = merge_regions(of.view(), dip.view(), {.small_area = 1, .border_weight = 5}, on_serial);
  EXPECT_EQ(values_of<std::uint32_t>(kept), of.pixels);
}

TEST(merge_regions, refuses_nan_and_large_labels) {
  const labels of{{1, 2}, {1, 2}};
  const picture<float> nan{{1, 2}, {1, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_EQ(message_of<usage_error>([&] { merge_regions(of.view(), nan.view()); }),
            "merge_regions: density is NaN at row 0, column 1; replace NaN first, it has no order");
  const labels large{{1, 2}, {1, 4000000000}};
  const picture<float> flat{{1, 2}, {1, 1}};
  EXPECT_NE(message_of<usage_error>([&] { merge_regions(large.view(), flat.view()); }), "");
}

}  // namespace
}  // namespace macareu::test
