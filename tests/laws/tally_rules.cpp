// The laws of patterns/tally.hpp: rows are joined in any order with the same bits, so every engine may cut
// the image as it likes.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"
#include "rules/object_sums.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

template <class T>
struct pixels_of {
  std::int64_t depth, height, width;
  std::vector<T> values;
  view<const T> all() const { return {values.data(), depth, height, width, height * width, width, 1}; }
};

template <class Rule, class... In>
void check_laws(dice& from, const Rule& rule, std::uint32_t count, const pixels_of<std::uint32_t>& labels,
                const pixels_of<In>&... in) {
  const context how{.threads = 3};
  job work{how, {}};
  const auto expected = serial::engine(work).tally(rule, count, labels.all(), in.all()...);
  ASSERT_EQ(expected.size(), count + 1);
  EXPECT_EQ(cpu::engine(work).tally(rule, count, labels.all(), in.all()...), expected);

  // Every pixel goes to one of several heaps, backwards; then heaps are joined from the last on.
  using rows = std::vector<typename Rule::row>;
  std::vector<rows> heaps(from.between(1, 5), rows(count + 1));
  const auto view = labels.all();
  for (auto z = view.depth - 1; z >= 0; --z)
    for (auto y = view.height - 1; y >= 0; --y)
      for (auto x = view.width - 1; x >= 0; --x) {
        const site p{z, y, x};
        auto& heap = heaps[from.below(heaps.size())];
        if (view[p] != 0) rule.add(heap[view[p]], p, view, in.all()[p]...);
      }
  for (; heaps.size() > 1; heaps.pop_back())
    for (std::size_t label = 0; label <= count; ++label)
      heaps[heaps.size() - 2][label].join(heaps.back()[label]);
  EXPECT_EQ(heaps[0], expected);
}

template <class T>
void check_rules(dice& from, bool volume) {
  const std::int64_t depth = volume ? from.between(1, 5) : 1, height = from.between(1, 9),
                     width = from.between(1, 40);
  const auto count = static_cast<std::uint32_t>(from.between(1, 600));
  pixels_of<std::uint32_t> labels{depth, height, width, {}};
  pixels_of<T> intensity{depth, height, width, {}};
  const auto run = from.between(1, 9);
  for (std::int64_t i = 0, label = 0; i < depth * height * width; ++i) {
    if (from.once_in(run)) label = from.between(0, count);
    labels.values.push_back(static_cast<std::uint32_t>(label));
    intensity.values.push_back(static_cast<T>(from.between(-120, 120)));
  }
  check_laws(from, object_extent{volume}, count, labels);
  check_laws(from, object_intensities{{16.0}}, count, labels, intensity);
  if (volume) {
    check_laws(from, object_sums<3, false>{}, count, labels);
    check_laws(from, object_sums<3, true>{{0.5}}, count, labels, intensity);
  } else {
    check_laws(from, object_sums<2, false>{}, count, labels);
    check_laws(from, object_sums<2, true>{{1024.0}}, count, labels, intensity);
  }
}

TEST(tally_rules, rows_are_joined_in_any_order) {
  dice from(seed_of("tally_rules", 1, 1));
  for (int i = 0; i < 200; ++i) {
    check_rules<std::int16_t>(from, i % 2 == 0);
    check_rules<double>(from, i % 2 == 0);
    if (HasFailure()) FAIL() << "image " << i;
  }
}

}  // namespace
}  // namespace macareu::test
