// The laws of edge rules (patterns/edges.hpp): what stands for exact levels is right where it is sure.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "laws/checked_rules.hpp"
#include "operators/edges/canny_itk.hpp"
#include "operators/edges/canny_skimage.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

/// A cube of pixels, read from its middle.
template <class V, int Radius>
struct patch {
  static constexpr int side = 2 * Radius + 1;
  std::array<V, side * side * side> pixels{};

  V& at(int dz, int dy, int dx) { return pixels[place(dz, dy, dx)]; }
  V operator()(std::int64_t dz, std::int64_t dy, std::int64_t dx) const { return pixels[place(dz, dy, dx)]; }
  static std::size_t place(std::int64_t dz, std::int64_t dy, std::int64_t dx) {
    if (std::abs(dz) > Radius || std::abs(dy) > Radius || std::abs(dx) > Radius) std::abort();
    return static_cast<std::size_t>(((dz + Radius) * side + dy + Radius) * side + dx + Radius);
  }
};

/// Few values and hardly any differences, so that much is equal, zero, or nearly so.
template <class V>
patch<V, 2> draw_pixels(dice& from) {
  patch<V, 2> drawn;
  const auto levels = from.pick(std::array{2, 3, 6, 256});
  const V step = static_cast<V>(std::ldexp(1.0, static_cast<int>(from.between(-20, 20))));
  const V offset = from.once_in(3) ? static_cast<V>(from.between(-1000, 1000)) : V{0};
  const bool ramp = from.once_in(3), flat = from.once_in(20);
  const auto slope_y = from.between(-2, 2), slope_x = from.between(-2, 2);
  for (int dz = -2; dz <= 2; ++dz)
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx) {
        auto height = static_cast<V>(flat ? from.once_in(40) : from.below(levels));
        if (ramp) height += static_cast<V>(4 * (slope_y * dy + slope_x * dx));
        drawn.at(dz, dy, dx) = offset + step * height;
      }
  if (from.once_in(20)) drawn.at(0, 0, 1) = std::numeric_limits<V>::infinity();
  return drawn;
}

/// The pixels around another one.
template <class V>
auto moved(const patch<V, 2>& pixels, int dz, int dy, int dx) {
  return [&pixels, dz, dy, dx](std::int64_t z, std::int64_t y, std::int64_t x) {
    return pixels(z + dz, y + dy, x + dx);
  };
}

template <class V>
V draw_threshold(dice& from, V near) {
  const V around = near * static_cast<V>(from.pick(std::array{0.5, 0.999999, 1.0, 1.000001, 2.0}));
  return from.once_in(10) ? V{-1} : from.once_in(5) || !std::isfinite(around) ? V{0} : around;
}

template <class Rule>
void check_laws(std::string_view name) {
  using V = typename Rule::value;
  static_assert(edge_rule<Rule>);
  counts_as_checked<pattern::edges, Rule>();
  constexpr int depth = Rule::rank == 3 ? 1 : 0;
  const auto seed = seed_of(name, sizeof(V), Rule::rank);
  dice from(seed);
  std::int64_t sure = 0, set = 0, flats = 0, sure_drafts = 0;
  const auto count = scaled(20000);
  for (auto n = count; n > 0; --n) {
    SCOPED_TRACE(::testing::Message() << name << ", seed " << seed << ", " << n << " to go");
    auto smooth = draw_pixels<V>(from);
    if (Rule::strength_is_derived && from.once_in(10))  // squares are no numbers of f32
      for (auto& pixel : smooth.pixels) pixel *= static_cast<V>(0x1p60);
    const V steepness = Rule(0, 0).gradient(smooth);
    const Rule rule(draw_threshold(from, steepness), draw_threshold(from, steepness));
    const V error = from.once_in(2) ? V{0} : std::abs(steepness) * V(1e-4);
    patch<V, 1> derived, nearly;
    for (int dz = -depth; dz <= depth; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const V exact = rule.derived(moved(smooth, dz, dy, dx));
          derived.at(dz, dy, dx) = exact;
          const V other = exact + error * static_cast<V>(from.between(-2, 2)) / 2;
          nearly.at(dz, dy, dx) = std::abs(other - exact) <= error ? other : exact;
          if constexpr (Rule::drafts) {
            V bends = 0, most = 0;
            for (const V pixel : smooth.pixels) most = std::max(most, std::abs(pixel));
            const V draft = rule.drafted(moved(smooth, dz, dy, dx), bends);
            const V apart = Rule::draft_error(most, bends);
            ASSERT_TRUE(std::isinf(apart) || std::abs(draft - exact) <= apart) << draft << ", " << exact;
          }
        }
    const int level = rule.level(smooth, derived);
    if constexpr (Rule::drafts) {
      const auto flat = [&](int dy, int dx) { return rule.is_flat(moved(smooth, 0, dy, dx)); };
      const bool all_flat = flat(0, 0) && flat(-1, 0) && flat(1, 0) && flat(0, -1) && flat(0, 1);
      ASSERT_TRUE(!all_flat || level == rule.flat_level());
      flats += all_flat;
    }
    const V strength = rule.strength(smooth, derived);
    ASSERT_TRUE(level == 0 || !(strength < rule.least())) << level;
    ASSERT_TRUE(level != 1 || rule.weak());
    V slopes[Rule::rank];
    rule.slopes(smooth, slopes);
    const bool exact = Rule::strength_is_derived;  // then there is no error
    const auto estimate =
        static_cast<int>(rule.estimate(strength, slopes, exact ? derived : nearly, exact ? V{0} : error));
    ASSERT_TRUE(estimate == level || estimate == not_sure) << estimate << " instead of " << level;
    if constexpr (Rule::strength_is_derived) {
      patch<V, 1> drafts;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          V own[2];
          rule.slopes(moved(smooth, 0, dy, dx), own);
          drafts.at(0, dy, dx) = rule.draft(own);
        }
      const V draft = drafts(0, 0, 0);
      const auto guess = static_cast<int>(rule.estimate_drafts(draft, slopes, drafts));
      ASSERT_TRUE(!rule.drafts_hold() || level == 0 || !(draft < rule.least())) << draft;
      ASSERT_TRUE(!rule.drafts_hold() || guess == level || guess == not_sure) << guess << ", not " << level;
      sure_drafts += rule.drafts_hold() && guess != not_sure;
    }
    sure += estimate != not_sure;
    set += level > 0;
  }
  // Answers that are never sure, or always 0, would be right too.
  EXPECT_GT(sure, count / 4);
  EXPECT_GT(set, count / 50);
  EXPECT_TRUE(!Rule::strength_is_derived || sure_drafts > count / 4) << sure_drafts;
  EXPECT_TRUE(!Rule::drafts || flats > count / 200) << flats;
}

TEST(edge_rules, itk) {
  check_laws<itk_canny<float, 2>>("itk_canny");
  check_laws<itk_canny<double, 2>>("itk_canny");
  check_laws<itk_canny<float, 3>>("itk_canny");
  check_laws<itk_canny<double, 3>>("itk_canny");
}

TEST(edge_rules, skimage) {
  check_laws<skimage_canny<float>>("skimage_canny");
  check_laws<skimage_canny<double>>("skimage_canny");
}

}  // namespace
}  // namespace macareu::test
