// The laws of gather rules (patterns/gather.hpp): what a pixel reads lies between first and last, inside the
// image, and axes do not depend on each other.
#include <gtest/gtest.h>

#include <cstdint>

#include "laws/checked_rules.hpp"
#include "operators/common/block_rules.hpp"
#include "operators/common/interpolation.hpp"
#include "patterns/gather.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

using pixel = std::uint16_t;

site draw_site(dice& from, std::int64_t least, std::int64_t most) {
  return {from.between(least, most), from.between(least, most), from.between(least, most)};
}

bool in_order(site a, site b) { return a.z <= b.z && a.y <= b.y && a.x <= b.x; }

/// `from` and `to`: sizes of the input and the output.
template <class Rule>
void check_laws(const Rule& rule, site from, site to) {
  static_assert(gather_rule<Rule, pixel, pixel>);
  counts_as_checked<pattern::gather, Rule>();
  const site last_of_input = from - site{1, 1, 1};
  for (std::int64_t z = 0; z < to.z; ++z)
    for (std::int64_t y = 0; y < to.y; ++y)
      for (std::int64_t x = 0; x < to.x; ++x) {
        const site p{z, y, x}, first = rule.first(p), last = rule.last(p);
        ASSERT_TRUE(in_order({0, 0, 0}, first) && in_order(first, last) && in_order(last, last_of_input));
        int reads = 0;
        rule(p, [&](site q) {
          ++reads;
          EXPECT_TRUE(in_order(first, q) && in_order(q, last)) << "beyond what it declares";
          return pixel{1};
        });
        ASSERT_GT(reads, 0);
        const site alone_first{rule.first({z, 0, 0}).z, rule.first({0, y, 0}).y, rule.first({0, 0, x}).x},
            alone_last{rule.last({z, 0, 0}).z, rule.last({0, y, 0}).y, rule.last({0, 0, x}).x};
        ASSERT_TRUE(alone_first == first && alone_last == last);
        if (z == 0 || y == 0 || x == 0) continue;
        const site before = p - site{1, 1, 1};
        ASSERT_TRUE(in_order(rule.first(before), first) && in_order(rule.last(before), last));
      }
}

TEST(gather_rules, blocks) {
  dice from(seed_of("gather_rules", 1));
  for (auto n = scaled(200); n > 0; --n) {
    const site size = draw_site(from, 1, 9), factor = draw_site(from, 1, 5);
    const site to{(size.z + factor.z - 1) / factor.z, (size.y + factor.y - 1) / factor.y,
                  (size.x + factor.x - 1) / factor.x};
    const pixel_blocks blocks{factor, size, from.once_in(2)};
    check_laws(block_mean<pixel>{blocks}, size, to);
    check_laws(block_maximum<pixel>{blocks, rising_keys<pixel>()}, size, to);
  }
}

TEST(gather_rules, interpolation) {
  dice from(seed_of("gather_rules", 2));
  for (auto n = scaled(200); n > 0; --n) {
    const site size = draw_site(from, 1, 6), to = size + draw_site(from, 0, 9);
    const scaled_image axes{{size.z, to.z}, {size.y, to.y}, {size.x, to.x}};
    check_laws(nearest_in<pixel>{axes}, size, to);
    check_laws(linear_between<pixel>{axes}, size, to);
  }
}

}  // namespace
}  // namespace macareu::test
