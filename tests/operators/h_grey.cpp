// hmax, hmin and hdome: known answers, and reconstruction by its definition from the shifted image.
#include "operators/by_definition.hpp"
#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

template <class T>
std::vector<T> hmax_of(const picture<T>& f, const hmax_options& options) {
  return values_of<T>(hmax(f.view(), options, on_serial));
}
template <class T>
std::vector<T> hmin_of(const picture<T>& f, const hmin_options& options) {
  return values_of<T>(hmin(f.view(), options, on_serial));
}
template <class T>
std::vector<T> hdome_of(const picture<T>& f, const hdome_options& options) {
  return values_of<T>(hdome(f.view(), options, on_serial));
}

TEST(h_grey, low_maxima_go_and_high_ones_are_cut) {
  const picture<std::uint8_t> f{{1, 9}, {10, 12, 10, 10, 20, 19, 10, 30, 10}};
  EXPECT_EQ(hmax_of(f, {.h = 5}), (std::vector<std::uint8_t>{10, 10, 10, 10, 15, 15, 10, 25, 10}));
  EXPECT_EQ(hdome_of(f, {.h = 5}), (std::vector<std::uint8_t>{0, 2, 0, 0, 5, 4, 0, 5, 0}));
  auto mirrored = f;
  for (auto& value : mirrored.pixels) value = static_cast<std::uint8_t>(255 - value);
  auto expected = hmax_of(f, {.h = 5});
  for (auto& value : expected) value = static_cast<std::uint8_t>(255 - value);
  EXPECT_EQ(hmin_of(mirrored, {.h = 5}), expected);
}

TEST(h_grey, shifts_stop_at_the_end_of_the_type) {
  const picture<std::uint8_t> u{{1, 3}, {3, 200, 3}};
  EXPECT_EQ(hmax_of(u, {.h = 255}), (std::vector<std::uint8_t>{0, 0, 0}));
  EXPECT_EQ(hmin_of(u, {.h = 255}), (std::vector<std::uint8_t>{255, 255, 255}));
  const picture<std::int8_t> s{{1, 3}, {-100, 100, -100}};
  EXPECT_EQ(hmax_of(s, {.h = 127}), (std::vector<std::int8_t>{-100, -27, -100}));
  EXPECT_EQ(hdome_of(s, {.h = 127}), (std::vector<std::int8_t>{0, 127, 0}));
  EXPECT_EQ(hmin_of(s, {.h = 127}), (std::vector<std::int8_t>{27, 100, 27}));
}

TEST(h_grey, a_height_above_the_range_flattens) {
  const picture<std::int16_t> f{{1, 4}, {5, 9, 7, 6}};
  EXPECT_EQ(hmax_of(f, {.h = 100}), (std::vector<std::int16_t>{-91, -91, -91, -91}));
  EXPECT_EQ(hmin_of(f, {.h = 100}), (std::vector<std::int16_t>{105, 105, 105, 105}));
}

TEST(h_grey, bool_stays_bool) {
  const picture<std::uint8_t> ones{{1, 3}, {1, 1, 1}, dtype::boolean}, dot{{1, 3}, {0, 1, 0}, dtype::boolean};
  EXPECT_EQ(hmin_of(ones, {.h = 1}), (std::vector<std::uint8_t>{1, 1, 1})) << "f + h ends at 1";
  EXPECT_EQ(hmin_of(dot, {.h = 1}), (std::vector<std::uint8_t>{1, 1, 1}));
  EXPECT_EQ(hmax_of(dot, {.h = 1}), (std::vector<std::uint8_t>{0, 0, 0}));
  EXPECT_EQ(hdome_of(dot, {.h = 1}), dot.pixels);
}

TEST(h_grey, sixty_four_bit_heights_are_exact) {
  const auto top = std::numeric_limits<std::uint64_t>::max(), big = (std::uint64_t{1} << 53) + 1;
  const picture<std::uint64_t> f{{1, 3}, {0, top, 0}};
  EXPECT_EQ(hmax_of(f, {.h = big}), (std::vector<std::uint64_t>{0, top - big, 0}));
  EXPECT_EQ(hdome_of(f, {.h = big}), (std::vector<std::uint64_t>{0, big, 0}));
  const auto high = std::numeric_limits<std::int64_t>::max();
  const picture<std::int64_t> s{{1, 3}, {-5, high, -5}};
  EXPECT_EQ(hmax_of(s, {.h = high}), (std::vector<std::int64_t>{-5, 0, -5}));
}

TEST(h_grey, infinities_stay) {
  const float inf = std::numeric_limits<float>::infinity();
  const picture<float> f{{1, 4}, {inf, 2, 5, -inf}};
  EXPECT_EQ(hmax_of(f, {.h = 1}), (std::vector<float>{inf, 2, 4, -inf}));
  EXPECT_EQ(hdome_of(f, {.h = 1}), (std::vector<float>{0, 0, 1, 0}));
  EXPECT_EQ(hmin_of(f, {.h = 1}), (std::vector<float>{inf, 3, 5, -inf}));
  // A height that a float cannot hold is infinite; infinity minus infinity must not become NaN.
  EXPECT_EQ(hmax_of(f, {.h = 1e300}), (std::vector<float>{inf, 2, 2, -inf}));
}

TEST(h_grey, equal_their_definition) {
  for_random_images("h_grey", 1000, []<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    T h = static_cast<T>(type == dtype::boolean ? 1 : from.between(1, 9));
    if constexpr (std::is_floating_point_v<T>)
      h = h / 4;
    else if (type != dtype::boolean && from.once_in(4))
      h = std::numeric_limits<T>::max();
    const lattice on(f.shape, near.count);
    const auto as_picture = [&](const std::vector<T>& pixels) { return picture<T>{f.shape, pixels, type}; };
    const auto cut = reconstruction(on, shifted(f.pixels, h, true, type), f.pixels, false);
    const auto raised = reconstruction(on, shifted(f.pixels, h, false, type), f.pixels, true);
    auto domes = f.pixels;
    for (std::size_t i = 0; i < domes.size(); ++i)
      domes[i] = domes[i] == cut[i] ? T{0} : static_cast<T>(domes[i] - cut[i]);
    const connectivity by(near.count);
    ASSERT_TRUE(same_bits(hmax(f.view(), {.h = h, .connectivity = by}, on_serial), as_picture(cut).view()))
        << +h;
    ASSERT_TRUE(same_bits(hmin(f.view(), {.h = h, .connectivity = by}, on_serial), as_picture(raised).view()))
        << +h;
    ASSERT_TRUE(same_bits(hdome(f.view(), {.h = h, .connectivity = by}, on_serial), as_picture(domes).view()))
        << +h;
  });
}

}  // namespace
}  // namespace macareu::test
