// reduce: known answers, and blocks collected pixel by pixel.
#include <map>

#include <macareu/catalogue.hpp>
#include <macareu/pieces.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

__extension__ typedef __int128 wide;

arguments by(std::vector<number> factor, const std::string& method) {
  return {{"factor", std::move(factor)}, {"method", method}};
}

template <class T>
image reduced(const picture<T>& f, const arguments& given, const context& how = on_serial) {
  return std::move(
      run_operator(*find_operator("reduce"), std::array<const_image_view, 1>{f.view()}, given, how)[0]);
}

using bytes = std::vector<std::uint8_t>;

TEST(reduce, known_blocks) {
  const picture<std::uint8_t> f{{3, 5},
                                {0, 1, 2, 3, 9,    //
                                 1, 0, 4, 5, 200,  //
                                 7, 8, 100, 0, 30}};
  const auto means = reduced(f, by({2}, "mean"));
  EXPECT_EQ(means.shape(), (extents{2, 3}));
  EXPECT_EQ(values_of<std::uint8_t>(means), (bytes{1, 4, 105, 8, 50, 30})) << "halves up, 7.5 too";
  EXPECT_EQ(values_of<std::uint8_t>(reduced(f, by({2}, "nearest"))), (bytes{0, 2, 9, 7, 100, 30}));
  EXPECT_EQ(values_of<std::uint8_t>(reduced(f, by({2}, "max"))), (bytes{1, 5, 200, 8, 100, 30}));
  EXPECT_EQ(values_of<std::uint8_t>(reduced(f, by({3}, "nearest"))), (bytes{0, 5})) << "the middle";
  EXPECT_EQ(values_of<std::uint8_t>(reduced(f, by({1, 5}, "max"))), (bytes{9, 200, 100}));
  EXPECT_EQ(values_of<std::uint8_t>(reduced(f, by({1}, "mean"))), f.pixels);
  EXPECT_EQ(values_of<std::uint8_t>(reduced(f, by({1e300}, "max"))), (bytes{200})) << "one block";
}

TEST(reduce, ends_of_types) {
  const auto low = std::numeric_limits<std::int64_t>::min(), high = std::numeric_limits<std::int64_t>::max();
  const picture<std::int64_t> f{{1, 6}, {low, low, high, high, low, high}};
  EXPECT_EQ(values_of<std::int64_t>(reduced(f, by({2}, "mean"))), (std::vector<std::int64_t>{low, high, 0}))
      << "-0.5 is rounded up";
  const picture<std::int8_t> signs{{1, 4}, {-3, -4, -1, -2}};
  EXPECT_EQ(values_of<std::int8_t>(reduced(signs, by({2}, "mean"))), (std::vector<std::int8_t>{-3, -1}));
  EXPECT_EQ(values_of<std::int8_t>(reduced(signs, by({2}, "max"))), (std::vector<std::int8_t>{-3, -1}));
  const picture<std::uint8_t> bits{{1, 5}, {0, 1, 0, 0, 1}, dtype::boolean};
  EXPECT_EQ(values_of<std::uint8_t>(reduced(bits, by({2}, "mean"))), (bytes{1, 0, 1}));
}

TEST(reduce, refuses) {
  const picture<float> f{{1, 2}, {1, std::nanf("")}};
  EXPECT_EQ(message_of<usage_error>([&] { reduced(f, by({2}, "max")); }),
            "reduce: image is NaN at row 0, column 1; replace NaN first, it has no order");
  EXPECT_TRUE(std::isnan(values_of<float>(reduced(f, by({2}, "mean")))[0]));
  EXPECT_EQ(message_of<usage_error>([&] {
              reduced(f, by({2, 2, 2}, "mean"));
            }),
            "reduce: factor: expected one number for each of 2 axes, or one for all, got 3 numbers");
  EXPECT_EQ(message_of<usage_error>([&] { reduced(f, by({1.5}, "mean")); }),
            "factor: expected whole numbers of at least 1, separated by commas, got '1.5'");
}

/// Every pixel of the image is added to the block that it is in.
TEST(reduce, equals_blocks_collected) {
  for_random_images("reduce", 60, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    std::vector<number> factor;
    std::vector<std::int64_t> own;
    for (int axis = 0; axis < near.rank; ++axis) {
      own.push_back(from.between(1, 5));
      factor.emplace_back(own.back());
    }
    const auto depth = f.shape.depth(), height = f.shape.height(), width = f.shape.width();
    const auto fz = near.rank == 3 ? own[0] : 1, fy = own[own.size() - 2], fx = own.back();
    std::map<std::array<std::int64_t, 3>, std::vector<T>> blocks;
    std::size_t i = 0;
    for (std::int64_t z = 0; z < depth; ++z)
      for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) blocks[{z / fz, y / fy, x / fx}].push_back(f.pixels[i++]);
    std::vector<T> means, highest;
    for (const auto& [at, pixels] : blocks) {
      highest.push_back(*std::ranges::max_element(pixels, {}, [](T v) { return to_key(v); }));
      if constexpr (std::is_floating_point_v<T>) {
        double sum = 0;
        for (const T value : pixels) sum += static_cast<double>(value);
        means.push_back(static_cast<T>(sum / static_cast<double>(pixels.size())));
      } else {
        wide sum = 0, n = static_cast<wide>(pixels.size());
        for (const T value : pixels) sum += value;
        wide mean = sum / n - 2;  // the greatest whole number whose double is at most 2 sum / n + 1
        while (2 * n * (mean + 1) <= 2 * sum + n) ++mean;
        means.push_back(static_cast<T>(mean));
      }
    }
    const auto same = [&](const std::string& method, const std::vector<T>& expected) {
      const auto got = reduced(f, by(factor, method));
      ASSERT_EQ(got.shape().pixels(), std::ssize(expected));
      EXPECT_TRUE(same_bits(
          got, const_image_view(expected.data(), type, got.shape(), contiguous_strides(got.shape()))))
          << method;
    };
    same("mean", means);
    same("max", highest);
  });
}

TEST(reduce, channels_are_reduced_by_themselves) {
  const bytes pixels{0, 10, 20, 2, 12, 22, 4, 14, 24};
  const const_image_view colour(pixels.data(), dtype::u8, extents{1, 3}, contiguous_strides({1, 3}, 3), 3);
  const auto got = run_operator(*find_operator("reduce"), std::span(&colour, 1), by({2}, "mean"));
  EXPECT_EQ(got[0].channels(), 3);
  const auto* const first = static_cast<const std::uint8_t*>(got[0].data());
  EXPECT_EQ(bytes(first, first + 6), (bytes{1, 11, 21, 4, 14, 24}));
}

}  // namespace
}  // namespace macareu::test
