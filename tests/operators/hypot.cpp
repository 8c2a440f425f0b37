// hypot_of: its stated error against long double, its bits, and the gradients that engines make of it.
#include "operators/common/hypot.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "the oracle needs more digits than f64");

/// visit(a, b) for parts of equal, near and distant size, whole numbers and zeros among them.
template <class V, class Visit>
void for_parts(std::int64_t count, Visit visit) {
  dice from(seed_of("hypot", sizeof(V)));
  const int widest = std::numeric_limits<V>::max_exponent / 3;
  for (std::int64_t i = 0; i < count; ++i) {
    const int scale = static_cast<int>(from.between(-widest, widest)) - std::numeric_limits<V>::digits;
    const auto draw = [&](int exponent) {
      return std::ldexp(static_cast<V>(from.next() >> (64 - std::numeric_limits<V>::digits)), exponent);
    };
    const V a = draw(scale), whole = static_cast<V>(from.below(2000));
    switch (from.below(5)) {
      case 0:
        visit(static_cast<V>(from.below(2000)), whole);
        break;
      case 1:
        visit(a, from.once_in(2) ? a : -std::nextafter(a, V{0}));
        break;
      case 2:
        visit(from.once_in(2) ? V{0} : whole, a);
        break;
      default: {
        const int smaller = static_cast<int>(from.below(40));
        visit(draw(scale - smaller), a);
      }
    }
  }
}

/// How far hypot_of is from the true length, in units of its last place.
template <class V>
long double error_of(V a, V b) {
  const long double x = a, y = b, length = std::sqrt(x * x + y * y);
  if (length == 0) return hypot_of(a, b) == 0 ? 0 : 1;
  const auto unit = std::ldexp(1.0L, std::ilogb(length) + 1 - std::numeric_limits<V>::digits);
  return std::fabs(hypot_of(a, b) - length) / unit;
}

template <class V>
long double worst_error(std::int64_t count) {
  long double worst = 0;
  for_parts<V>(count, [&](V a, V b) { worst = std::max(worst, error_of(a, b)); });
  return worst;
}

TEST(hypot, f64_is_within_its_bound) {
  EXPECT_LT(worst_error<double>(300000), 0.9L);
  EXPECT_GT(error_of(1.5, std::ldexp(1.0, -26)), 0) << "the oracle sees more than f64";
}

TEST(hypot, f32_is_the_nearest_but_for_ties) {
  EXPECT_LT(worst_error<float>(300000), 0.5L + 0x1p-28L);
  // Just above a tie, by less than f64 holds: the even neighbour is the farther one.
  EXPECT_EQ(hypot_of(8388722.0f, 0x1.6a0a88p11f), 8388722.0f);
  EXPECT_GT(error_of(8388722.0f, 0x1.6a0a88p11f), 0.5L);
}

TEST(hypot, bits_are_the_same_on_every_processor) {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t bits) { hash = (hash ^ bits) * 0x100000001b3; };
  for_parts<double>(100000, [&](double a, double b) { add(std::bit_cast<std::uint64_t>(hypot_of(a, b))); });
  for_parts<float>(100000, [&](float a, float b) { add(std::bit_cast<std::uint32_t>(hypot_of(a, b))); });
  EXPECT_EQ(hash, 0xd93f88ed92e3bd55u);
}

template <class V>
void compare_gradients() {
  picture<V> f{{61, 203}, {}};
  dice from(seed_of("gradients", sizeof(V)));
  for (std::int64_t p = 0; p < f.shape.pixels(); ++p)
    f.pixels.push_back(static_cast<V>(std::ldexp(static_cast<double>(from.next() >> 11), -53)));
  const std::vector<const_image_view> inputs{f.view()};
  const auto gradient_on = [&](const char* device) {
    picture<std::uint8_t> edges{f.shape, std::vector<std::uint8_t>(f.pixels.size()), dtype::boolean};
    picture<V> gradient{f.shape, std::vector<V>(f.pixels.size())};
    const std::vector<image_view> outputs{edges.view(), gradient.view()};
    run_operator(*find_operator("canny"), inputs, outputs, {{"flavour", "skimage"}}, {.device = device});
    return gradient;
  };
  EXPECT_TRUE(same_bits(gradient_on("cpu"), gradient_on("serial")));
}

TEST(hypot, gradients_are_alike_on_the_cpu) {
  compare_gradients<float>();
  compare_gradients<double>();
}

}  // namespace
}  // namespace macareu::test
