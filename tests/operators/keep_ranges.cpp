// relabel with keep: objects by ranges of columns, against the table of measure.
#include <cmath>
#include <map>

#include <macareu/catalogue.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

image kept(const const_image_view& labels, const std::string& ranges) {
  return std::move(
      run_operator(*find_operator("relabel"), std::span(&labels, 1), {{"keep", ranges}}, on_serial)[0]);
}

using numbers = std::vector<std::uint32_t>;

TEST(keep_ranges, known_objects) {
  const picture<std::uint8_t> labels{{2, 6},
                                     {5, 0, 2, 2, 2, 0,  //
                                      0, 0, 0, 0, 9, 9}};
  EXPECT_EQ(values_of<std::uint32_t>(kept(labels, "area 2:3")),
            (numbers{0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2, 2}));
  EXPECT_EQ(values_of<std::uint32_t>(kept(labels, "area :2")), (numbers{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2}));
  EXPECT_EQ(values_of<std::uint32_t>(kept(labels, "area=2:, bbox-1 3:")),
            (numbers{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(values_of<std::uint32_t>(kept(labels, "all")), (numbers{1, 0, 2, 2, 2, 0, 0, 0, 0, 0, 3, 3}));
}

TEST(keep_ranges, refuses) {
  const picture<std::uint8_t> labels{{1, 2}, {1, 2}};
  for (const std::string text : {"area", "area 3", "area 3:2", "area a:2", "area 1:2,", ""})
    EXPECT_NE(message_of<usage_error>([&] {
                kept(labels, text);
              }).find("keep: expected ranges COLUMN LOW:HIGH, separated by commas, or all, got '"),
              std::string::npos)
        << text;
  EXPECT_EQ(message_of<usage_error>([&] { kept(labels, "aera 1:2"); }),
            "relabel: keep: objects have no column 'aera' (did you mean area?)");
  EXPECT_EQ(message_of<usage_error>([&] { kept(labels, "sphericity 1:2"); }),
            "relabel: keep: objects have no column 'sphericity'");
}

/// Every column, between two values of it.
TEST(keep_ranges, equals_the_table) {
  for (std::int64_t n = 0; n < scaled(60); ++n) {
    const auto seed = seed_of("keep_ranges", n);
    dice from(seed);
    const bool volume = from.once_in(3);
    picture<std::uint64_t> labels{volume ? extents{3, 5, 6} : extents{9, 11}, {}};
    for (auto i = labels.shape.pixels(); i > 0; --i)
      labels.pixels.push_back(from.once_in(3) ? 0 : static_cast<std::uint64_t>(from.between(1, 9)));
    const const_image_view view = labels.view();
    const auto objects = compute_table(*find_operator("measure"), std::span(&view, 1), {}, on_serial);
    if (objects.rows() == 0) continue;
    const auto& column = from.pick(objects.columns);
    const auto any = [&] {
      return column[static_cast<std::size_t>(from.below(std::ssize(labels.pixels))) % objects.rows()];
    };
    auto low = any(), high = any();
    if (std::isnan(low.to_double()) || std::isnan(high.to_double()) || std::isinf(low.to_double()) ||
        std::isinf(high.to_double()))
      continue;
    if (low.to_double() > high.to_double()) std::swap(low, high);
    std::map<std::uint64_t, bool> inside;
    for (std::size_t row = 0; row < objects.rows(); ++row) {
      const double value = column[row].to_double();
      inside[static_cast<std::uint64_t>(objects["label"][row].to_double())] =
          value >= low.to_double() && value <= high.to_double();
    }
    auto expected = labels;
    for (auto& label : expected.pixels) label = label != 0 && inside[label] ? label : 0;
    const auto got = kept(view, column.name + " " + to_string(low) + ":" + to_string(high));
    EXPECT_TRUE(same_bits(got, kept(expected.view(), "all"))) << column.name << ", seed " << seed;
  }
}

}  // namespace
}  // namespace macareu::test
