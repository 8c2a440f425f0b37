// relabel with keep: objects by ranges of columns, against the table of measure.
#include <cmath>
#include <map>

#include <macareu/catalogue.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

image kept(const std::vector<const_image_view>& inputs, const std::string& ranges,
           const std::vector<number>& spacing = {1}) {
  return std::move(run_operator(*find_operator("relabel"), inputs, {{"keep", ranges}, {"spacing", spacing}},
                                on_serial)[0]);
}
image kept(const const_image_view& labels, const std::string& ranges) {
  return kept(std::vector{labels}, ranges);
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

TEST(keep_ranges, known_intensities_and_spacings) {
  const picture<std::uint8_t> labels{{1, 6}, {1, 1, 0, 2, 2, 2}};
  const picture<float> intensity{{1, 6}, {1, 2, 90, 5, 6, 10}};
  const std::vector<const_image_view> both{labels.view(), intensity.view()};
  const numbers first{1, 1, 0, 0, 0, 0}, second{0, 0, 0, 1, 1, 1};
  EXPECT_EQ(values_of<std::uint32_t>(kept(both, "intensity_mean 7:7")), second);
  EXPECT_EQ(values_of<std::uint32_t>(kept(both, "intensity_max :9")), first);
  EXPECT_EQ(values_of<std::uint32_t>(kept(both, "centroid_weighted-1 4:, area 3:")), second);
  EXPECT_EQ(values_of<std::uint32_t>(kept({labels.view()}, "area 0.125:0.125", {0.25})), first);
  EXPECT_EQ(values_of<std::uint32_t>(kept({labels.view()}, "area 24:24", {2, 4})), second);
}

/// Negative labels are outside, where NaN is ignored.
TEST(keep_ranges, refuses_intensities_without_a_mean) {
  const picture<std::int16_t> labels{{1, 3}, {-1, 2, 0}};
  picture<double> intensity{{1, 3}, {std::nan(""), 3, std::nan("")}};
  const std::vector<const_image_view> both{labels.view(), intensity.view()};
  EXPECT_EQ(values_of<std::uint32_t>(kept(both, "intensity_sum 3:3")), (numbers{0, 1, 0}));
  intensity.pixels[1] = std::nan("");
  const std::vector<const_image_view> none{labels.view(), intensity.view()};
  picture<std::uint32_t> out{labels.shape, numbers(3, 7)};
  const std::vector<image_view> outputs{out.view()};
  EXPECT_EQ(message_of<usage_error>([&] {
              run_operator(*find_operator("relabel"), none, outputs,
                           {{"keep", std::string("intensity_sum 3:3")}}, on_serial);
            }),
            "relabel: intensity is NaN at row 0, column 1, in an object; replace it, it has no mean");
  EXPECT_EQ(out.pixels, numbers(3, 7)) << "a refused call leaves its output alone";
  EXPECT_EQ(values_of<std::uint32_t>(kept(none, "area 1:1")), (numbers{0, 1, 0}));
}

TEST(keep_ranges, refuses) {
  const picture<std::uint8_t> labels{{1, 2}, {1, 2}};
  for (const std::string text : {"area", "area 3", "area 3:2", "area a:2", "area 1:2,", ""})
    EXPECT_NE(message_of<usage_error>([&] {
                kept(labels, text);
              }).find("keep: expected ranges COLUMN LOW:HIGH, separated by commas, or all, got '"),
              std::string::npos)
        << text;
  EXPECT_EQ(
      message_of<usage_error>([&] { kept(labels, "aera 1:2"); }),
      "relabel: keep: objects have no column 'aera' (did you mean area?), only label, num_pixels, area, "
      "bbox-i, centroid-i, equivalent_diameter_area, extent, perimeter, euler_number, inertia_tensor-i-j, "
      "inertia_tensor_eigvals-i, axis_major_length, axis_minor_length, axis_direction-i-j, orientation, "
      "eccentricity, elongation, circularity, intensity_sum, intensity_min, intensity_max, "
      "intensity_mean, intensity_std, centroid_weighted-i");
  EXPECT_TRUE(message_of<usage_error>([&] {
                kept(labels, "sphericity 1:2");
              }).starts_with("relabel: keep: objects have no column 'sphericity', only label, "));
  EXPECT_EQ(message_of<usage_error>([&] { kept(labels, "intensity_mean 1:2"); }),
            "relabel: keep intensity_mean: expected the image intensity, got none");
  EXPECT_EQ(message_of<usage_error>([&] {
              kept({labels.view()}, "all", {1, 2, 3});
            }),
            "relabel: spacing has 3 numbers, but the image 2 axes: give one for each, or one for all");
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
    std::vector<const_image_view> inputs{labels.view()};
    image intensity(from.pick(all_types), labels.shape);
    with_type(intensity.type(), [&]<class V>() {
      auto* const pixels = static_cast<V*>(intensity.data());
      for (auto i = intensity.shape().pixels(); i > 0;) pixels[--i] = static_cast<V>(from.between(0, 60));
    });
    if (from.once_in(2)) inputs.push_back(intensity);
    const std::vector<number> spacing{static_cast<double>(from.between(1, 8)) / 4};
    const auto objects = compute_table(*find_operator("measure"), inputs, {{"spacing", spacing}}, on_serial);
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
    const auto got = kept(inputs, column.name + " " + to_string(low) + ":" + to_string(high), spacing);
    EXPECT_TRUE(same_bits(got, kept(expected.view(), "all"))) << column.name << ", seed " << seed;
  }
}

}  // namespace
}  // namespace macareu::test
