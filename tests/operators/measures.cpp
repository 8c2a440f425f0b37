// statistics, histogram, tables and channels: known answers and plain loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <macareu/catalogue.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

double value(const table& of, const char* column, std::size_t row = 0) { return of[column][row].to_double(); }

TEST(measures, statistics_by_hand) {
  const picture<std::int16_t> f{{2, 3}, {4, -7, 9, 9, -7, 4}};
  const auto t = statistics(f.view(), {}, on_serial);
  EXPECT_EQ(
      to_csv(t),
      "pixels,minimum,minimum_y,minimum_x,maximum,maximum_y,maximum_x,sum,mean,variance\n6,-7,0,1,9,0,2,12,2," +
          to_string(number((4. + 81 + 49 + 49 + 81 + 4) / 6)) + "\n");
  const picture<std::uint8_t> v{{2, 1, 2}, {3, 1, 2, 5}};
  EXPECT_EQ(
      to_csv(statistics(v.view(), {}, on_serial)),
      "pixels,minimum,minimum_z,minimum_y,minimum_x,maximum,maximum_z,maximum_y,maximum_x,sum,mean,variance\n"
      "4,1,0,0,1,5,1,0,1,11,2.75,2.1875\n");
}

TEST(measures, sums_of_64_bits_are_exact_as_long_as_they_fit) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  const picture<std::uint64_t> one{{1, 2}, {most, 0}}, two{{1, 2}, {most, most}};
  EXPECT_EQ(to_string(statistics(one.view(), {}, on_serial)["sum"][0]), "18446744073709551615");
  EXPECT_EQ(value(statistics(two.view(), {}, on_serial), "sum"), std::ldexp(1.0, 65));
  EXPECT_EQ(value(statistics(two.view(), {}, on_serial), "variance"), 0);
  const picture<std::int64_t> low{{1, 3}, {std::numeric_limits<std::int64_t>::min(), -1, 1}};
  EXPECT_EQ(to_string(statistics(low.view(), {}, on_serial)["sum"][0]), "-9223372036854775808");
}

TEST(measures, floats_lose_nothing_that_integers_would_not) {
  // Added from left to right in f64 this gives 0.
  const picture<double> f{{1, 4}, {1e100, 1, -1e100, 1}};
  EXPECT_EQ(value(statistics(f.view(), {}, on_serial), "sum"), 0) << "1 is below 2^-98 of 1e100";
  const picture<double> g{{1, 4}, {1e20, 1, -1e20, 1}};
  EXPECT_EQ(value(statistics(g.view(), {}, on_serial), "sum"), 2);
  const picture<float> inf{{1, 2}, {std::numeric_limits<float>::infinity(), 1}};
  EXPECT_EQ(value(statistics(inf.view(), {}, on_serial), "sum"), std::numeric_limits<double>::infinity());
  EXPECT_NE(to_json(statistics(inf.view(), {}, on_serial)).find("\"sum\": null"), std::string::npos);
}

TEST(measures, statistics_by_definition) {
  for_random_images("statistics", 60, [&]<class T>(dtype type, neighbours near, dice& from) {
    auto f = draw_picture<T>(from, type, near.rank);
    for (auto& pixel : f.pixels)  // so that f64 holds the sums of squares
      if (type != dtype::boolean && !(std::abs(static_cast<double>(pixel)) < 1e6))
        pixel = static_cast<T>(from.below(100));
    const auto t = statistics(f.view(), {}, on_serial);
    const auto low = std::ranges::min_element(f.pixels), high = std::ranges::max_element(f.pixels);
    EXPECT_EQ(value(t, "minimum"), static_cast<double>(*low));
    EXPECT_EQ(value(t, "maximum"), static_cast<double>(*high));
    const auto place = [&](const char* name) {
      const auto at = [&](const char* axis) {
        return static_cast<std::int64_t>(value(t, (std::string(name) + axis).c_str()));
      };
      return ((near.rank == 3 ? at("_z") : 0) * f.shape.height() + at("_y")) * f.shape.width() + at("_x");
    };
    EXPECT_EQ(place("minimum"), low - f.pixels.begin());
    EXPECT_EQ(place("maximum"), high - f.pixels.begin());
    double sum = 0, squares = 0;
    for (const T pixel : f.pixels) sum += static_cast<double>(pixel);
    const double mean = sum / static_cast<double>(f.pixels.size());
    for (const T pixel : f.pixels) squares += std::pow(static_cast<double>(pixel) - mean, 2);
    const double magnitude =
        std::max(std::abs(static_cast<double>(*low)), std::abs(static_cast<double>(*high)));
    EXPECT_NEAR(value(t, "sum"), sum, 1e-13 * magnitude * static_cast<double>(f.pixels.size()));
    EXPECT_NEAR(value(t, "mean"), mean, 1e-13 * magnitude);
    const double variance = squares / static_cast<double>(f.pixels.size());
    EXPECT_NEAR(value(t, "variance"), variance, 1e-12 * variance + 1e-28 * magnitude * magnitude);
  });
}

/// By the edges alone.
TEST(measures, histogram_by_definition) {
  for_random_images("histogram", 60, [&]<class T>(dtype type, neighbours near, dice& from) {
    auto f = draw_picture<T>(from, type, near.rank);
    for (auto& pixel : f.pixels)
      if (!std::isfinite(static_cast<double>(pixel)) || std::abs(static_cast<double>(pixel)) > 1e12)
        pixel = T{0};
      else if constexpr (std::is_floating_point_v<T>)  // bins need numbers between their edges
        pixel = std::nearbyint(pixel * 64) / 64;
    const auto bins = from.between(1, 12);
    arguments given{{"bins", number(bins)}};
    if (from.once_in(2)) {
      given.emplace("low", number(from.between(-5, 5)));
      given.emplace("high", number(static_cast<double>(from.between(6, 60)) / 2 + 3));
    }
    const auto t = compute_table(*find_operator("histogram"), std::array<const_image_view, 1>{f.view()},
                                 given, on_serial);
    ASSERT_EQ(t.rows(), static_cast<std::size_t>(bins));
    std::uint64_t inside = 0;
    for (std::size_t i = 0; i < t.rows(); ++i) {
      const double low = value(t, "from", i), high = value(t, "to", i);
      const bool last = i + 1 == t.rows();
      const auto count = std::ranges::count_if(f.pixels, [&](T pixel) {
        const auto v = static_cast<double>(pixel);
        return v >= low && (v < high || (last && v == high));
      });
      ASSERT_EQ(value(t, "count", i), static_cast<double>(count)) << "bin " << i << " of " << bins;
      inside += static_cast<std::uint64_t>(count);
      if (!last) {
        EXPECT_EQ(high, value(t, "from", i + 1));
      }
    }
    if (!given.contains("low")) {
      EXPECT_EQ(inside, f.pixels.size());
    }
  });
}

TEST(measures, bytes_have_a_bin_for_every_value) {
  const picture<std::uint8_t> f{{1, 5}, {0, 255, 255, 7, 0}};
  const auto t = histogram(f.view(), {}, on_serial);
  ASSERT_EQ(t.rows(), 256u);
  EXPECT_EQ(value(t, "count", 0), 2);
  EXPECT_EQ(value(t, "count", 7), 1);
  EXPECT_EQ(value(t, "count", 255), 2);
  EXPECT_EQ(value(t, "from", 7), 7);
  EXPECT_EQ(value(t, "to", 7), 8);
  const picture<std::int8_t> s{{1, 2}, {-128, 127}};
  const auto signed_table = histogram(s.view(), {}, on_serial);
  EXPECT_EQ(value(signed_table, "from", 0), -128);
  EXPECT_EQ(value(signed_table, "count", 0), 1);
  EXPECT_EQ(value(signed_table, "count", 255), 1);
}

/// Of an image so large that the cpu counts bytes in pairs, in rows that are no whole groups of these.
void expect_counts(const char* what, const std::function<std::uint8_t(std::int64_t)>& pixel) {
  const extents shape{2085, 2019};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(shape.pixels()));
  std::array<std::int64_t, 256> expected{};
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = pixel(static_cast<std::int64_t>(i));
    ++expected[pixels[i]];
  }
  for (const int threads : {1, 3}) {
    const auto found =
        histogram(const_image_view(pixels.data(), shape), {}, {.device = "cpu", .threads = threads});
    const auto of_signed = histogram(const_image_view(reinterpret_cast<std::int8_t*>(pixels.data()), shape),
                                     {}, {.device = "cpu", .threads = threads});
    for (std::size_t i = 0; i < 256; ++i) {
      EXPECT_EQ(value(found, "count", i), static_cast<double>(expected[i])) << what << ' ' << i;
      EXPECT_EQ(value(of_signed, "count", (i + 128) % 256), static_cast<double>(expected[i]))
          << what << ' ' << i;
    }
  }
}

TEST(measures, histograms_of_many_bytes) {
  dice from(seed_of("many_bytes"));
  const auto random = [&](std::int64_t) { return static_cast<std::uint8_t>(from.below(256)); };
  expect_counts("random", random);
  expect_counts("constant", [](std::int64_t) { return std::uint8_t{77}; });
  expect_counts("stripes", [](std::int64_t i) { return static_cast<std::uint8_t>(i % 2 ? 255 : 0); });
  expect_counts("half of it alike", [&](std::int64_t i) { return i % 200'000 < 100'000 ? 3 : random(i); });
}

TEST(measures, histogram_checks_its_parameters) {
  const picture<std::uint8_t> f{{1, 2}, {1, 2}};
  EXPECT_EQ(message_of<usage_error>([&] { histogram(f.view(), {.bins = 2.5}); }),
            "histogram: bins: expected a whole number from 1 to 16777216, got 2.5");
  EXPECT_EQ(message_of<usage_error>([&] { histogram(f.view(), {.low = 5, .high = 2}); }),
            "histogram: low and high: expected finite numbers, the first below the second, got 5 and 2");
}

TEST(channels, are_taken_one_by_one) {
  std::vector<std::uint8_t> pixels;
  dice from(seed_of("channels"));
  const extents shape{7, 9};
  for (int i = 0; i < 7 * 9 * 3; ++i) pixels.push_back(static_cast<std::uint8_t>(from.below(256)));
  const const_image_view colour(pixels.data(), dtype::u8, shape, contiguous_strides(shape, 3), 3);
  for (const auto& about : catalogue()) {
    if (!about.each_channel) continue;
    SCOPED_TRACE(about.name);
    std::vector<const_image_view> inputs(about.inputs.size(), colour);
    const picture<float> kernel{{2, 3}, {1, 2, 3, 4, 5, 6}};
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (about.inputs[i].own_form) inputs[i] = kernel.view();
    for (const auto* device : {"serial", "cpu"}) {
      if (!about.table.empty()) {
        const auto all = compute_table(about, inputs, {}, {.device = device});
        ASSERT_EQ(all.columns[0].name, "channel");
        std::size_t row = 0;
        for (int c = 0; c < 3; ++c) {
          const auto one = compute_table(about, std::array{colour.channel(c)}, {}, on_serial);
          for (std::size_t i = 0; i < one.rows(); ++i, ++row) {
            ASSERT_EQ(all["channel"][row].to_double(), c);
            for (const auto& column : one.columns)
              ASSERT_EQ(to_string(all[column.name][row]), to_string(column[i])) << column.name;
          }
        }
        ASSERT_EQ(row, all.rows());
        continue;
      }
      const auto whole = run_operator(about, inputs, {}, {.device = device});
      ASSERT_EQ(whole[0].channels(), 3);
      for (int c = 0; c < 3; ++c) {
        auto one = inputs;
        for (auto& input : one)
          if (input.channels() == 3) input = input.channel(c);
        const auto expected = run_operator(about, one, {}, on_serial);
        EXPECT_TRUE(same_bits(const_image_view(whole[0]).channel(c), expected[0]))
            << device << ", channel " << c;
      }
    }
  }
}

TEST(measures, tables_and_images_are_told_apart) {
  const picture<std::uint8_t> f{{1, 2}, {1, 2}};
  const std::array inputs{f.view()};
  EXPECT_EQ(message_of<usage_error>([&] { run_operator(*find_operator("histogram"), inputs); }),
            "histogram: gives a table: use compute_table");
  EXPECT_EQ(message_of<usage_error>([&] { compute_table(*find_operator("invert"), inputs); }),
            "invert: gives images: use run_operator");
}

TEST(channels, must_agree) {
  std::vector<std::uint8_t> pixels(2 * 2 * 3);
  const extents shape{2, 2};
  const const_image_view colour(pixels.data(), dtype::u8, shape, contiguous_strides(shape, 3), 3);
  const picture<std::uint8_t> grey{shape, {1, 2, 3, 4}};
  EXPECT_EQ(message_of<usage_error>([&] { add(colour, grey.view()); }),
            "add: second has 1 channels, but first has 3: they must have the same number");
  EXPECT_EQ(message_of<usage_error>([&] { convolve(grey.view(), colour); }),
            "convolve: kernel has 3 channels: choose one or make it grey (channel N or luminance)");
  EXPECT_EQ(message_of<usage_error>([&] {
              invert(colour, image_view(grey.view().type() == dtype::u8 ? pixels.data() : nullptr, shape));
            }),
            "invert: output inverted must have 3 channels and be 2 x 2, like the input");
}

}  // namespace
}  // namespace macareu::test
