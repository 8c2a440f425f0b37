// cast: known answers, and all pairs of types by other arithmetic.
#include <cmath>
#include <limits>

#include <macareu/catalogue.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

__extension__ typedef __int128 wide_integer;

const char* const devices_here[] = {"serial", "cpu"};

template <class To, class From>
std::vector<To> converted(const std::vector<From>& pixels, const char* type, const char* device,
                          const char* overflow = "wrap") {
  const picture<From> f{{1, std::ssize(pixels)}, pixels};
  return values_of<To>(run_operator(*find_operator("cast"), std::array<const_image_view, 1>{f.view()},
                                    {{"type", type}, {"overflow", overflow}}, {.device = device})[0]);
}

TEST(cast, wraps_as_in_c) {
  using bytes = std::vector<std::uint8_t>;
  for (const char* on : devices_here) {
    EXPECT_EQ((converted<std::uint8_t, int>({-1, 0, 255, 256, 70000}, "u8", on)),
              (bytes{255, 0, 255, 0, 112}));
    EXPECT_EQ((converted<std::int64_t, std::int8_t>({-128, 127}, "i64", on)),
              (std::vector<std::int64_t>{-128, 127}));
    EXPECT_EQ((converted<std::uint64_t, std::int8_t>({-1}, "u64", on)), (std::vector<std::uint64_t>{~0ULL}));
    EXPECT_EQ((converted<std::int64_t, std::uint8_t>({255}, "i64", on)), (std::vector<std::int64_t>{255}));
    EXPECT_EQ((converted<float, std::uint64_t>({~0ULL, 16777217}, "f32", on)),
              (std::vector<float>{0x1p64F, 0x1p24F}));
    EXPECT_EQ((converted<float, double>({0.1, 1e300}, "f32", on)),
              (std::vector<float>{0.1F, std::numeric_limits<float>::infinity()}));
    EXPECT_EQ((converted<std::uint8_t, double>({0, -0.0, 0.25, NAN}, "bool", on)), (bytes{0, 0, 1, 1}));
    EXPECT_EQ((converted<std::uint8_t, std::int16_t>({0, 256, -1}, "bool", on)), (bytes{0, 1, 1}));
  }
}

/// Fractions are cut off, and what lies beyond is the type's last value.
TEST(cast, wrapping_floats_end_at_the_last_value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{-infinity, -1e30, -128.9, -1.5, -0.5,     0.5,
                                   1.999,     127.9, 300,    1e30, infinity, NAN};
  for (const char* on : devices_here) {
    EXPECT_EQ((converted<std::int8_t, double>(values, "i8", on)),
              (std::vector<std::int8_t>{-128, -128, -128, -1, 0, 0, 1, 127, 127, 127, 127, -128}));
    EXPECT_EQ((converted<std::uint16_t, double>(values, "u16", on)),
              (std::vector<std::uint16_t>{0, 0, 0, 0, 0, 0, 1, 127, 300, 65535, 65535, 0}));
    using wide = std::numeric_limits<std::int64_t>;
    EXPECT_EQ((converted<std::int64_t, float>({-0x1p63F, 0x1p63F, 0x1p62F}, "i64", on)),
              (std::vector<std::int64_t>{wide::min(), wide::max(), std::int64_t{1} << 62}));
    EXPECT_EQ((converted<std::uint64_t, float>({-1, 0x1p64F, 0x1p63F}, "u64", on)),
              (std::vector<std::uint64_t>{0, ~0ULL, 1ULL << 63}));
  }
}

TEST(cast, rounds_and_saturates) {
  using bytes = std::vector<std::uint8_t>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const char* on : devices_here) {
    EXPECT_EQ(
        (converted<std::uint8_t, float>({-3, 0.5F, 1.5F, 2.5F, 254.6F, 300, NAN}, "u8", on, "saturate")),
        (bytes{0, 0, 2, 2, 255, 255, 0}));
    EXPECT_EQ((converted<std::int8_t, double>({-infinity, -128.5, -1.5, -0.5, 127.5, infinity}, "i8", on,
                                              "saturate")),
              (std::vector<std::int8_t>{-128, -128, -2, 0, 127, 127}));
    EXPECT_EQ((converted<std::uint8_t, int>({-1, 0, 255, 256, 70000}, "u8", on, "saturate")),
              (bytes{0, 0, 255, 255, 255}));
    EXPECT_EQ((converted<std::uint64_t, std::int8_t>({-1, 5}, "u64", on, "saturate")),
              (std::vector<std::uint64_t>{0, 5}));
    EXPECT_EQ((converted<std::int64_t, std::uint64_t>({~0ULL, 5}, "i64", on, "saturate")),
              (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(), 5}));
    EXPECT_EQ((converted<std::uint16_t, std::uint64_t>({~0ULL, 5}, "u16", on, "saturate")),
              (std::vector<std::uint16_t>{65535, 5}));
    EXPECT_EQ((converted<std::uint8_t, float>({0, 0.2F}, "bool", on, "saturate")), (bytes{0, 1}));
  }
}

/// The nearest value of the other type, found by comparing, for every pair of types.
TEST(cast, all_pairs_saturate) {
  for_random_images("cast", 12, [&]<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    for (const auto to : all_types)
      with_type(to, [&]<class To>() {
        using limits = std::numeric_limits<To>;
        const auto got =
            values_of<To>(run_operator(*find_operator("cast"), std::array<const_image_view, 1>{f.view()},
                                       {{"type", std::string(name_of(to))}}, on_serial)[0]);
        for (std::size_t i = 0; i < got.size(); ++i) {
          const T value = f.pixels[i];
          To expected{};
          if (to == dtype::boolean) {
            expected = static_cast<To>(value != T{});
          } else if constexpr (std::is_floating_point_v<To>) {
            expected = static_cast<To>(value);
          } else {
            wide_integer whole = 0;
            if constexpr (std::is_floating_point_v<T>)
              whole = value > T{1e30}    ? wide_integer{1} << 100
                      : value < T{-1e30} ? -(wide_integer{1} << 100)
                                         : static_cast<wide_integer>(std::nearbyint(value));
            else
              whole = value;
            expected = whole < limits::lowest() ? limits::lowest()
                       : whole > limits::max()  ? limits::max()
                                                : static_cast<To>(whole);
          }
          ASSERT_TRUE(got[i] == expected || (got[i] != got[i] && expected != expected))
              << text_of(value) << " to " << name_of(to) << ": " << text_of(got[i]) << ", expected "
              << text_of(expected);
        }
      });
  });
}

}  // namespace
}  // namespace macareu::test
