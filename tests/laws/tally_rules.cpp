// The laws of patterns/tally.hpp: rows are joined in any order with the same bits, so every engine may cut
// the image as it likes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "engines/cpu/engine.hpp"
#include "engines/serial/engine.hpp"
#include "laws/checked_rules.hpp"
#include "operators/objects/measures/object_extent.hpp"
#include "operators/objects/measures/object_sums.hpp"
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
  counts_as_checked<pattern::tally, Rule>();
  const context how{.threads = 3};
  job work{how, {}};
  const auto expected = serial::engine(work).tally(rule, count, framed(labels.all()), framed(in.all())...);
  ASSERT_EQ(expected.size(), count + 1);
  EXPECT_EQ(cpu::engine(work).tally(rule, count, framed(labels.all()), framed(in.all())...), expected);

  // Every pixel goes to one of several heaps, backwards; then heaps are joined from the last on.
  using rows = std::vector<typename Rule::row>;
  std::vector<rows> heaps(from.between(1, 5), rows(count + 1));
  const auto view = labels.all();
  for (auto z = view.depth - 1; z >= 0; --z)
    for (auto y = view.height - 1; y >= 0; --y)
      for (auto x = view.width - 1; x >= 0; --x) {
        const site p{z, y, x};
        auto& heap = heaps[from.below(heaps.size())];
        if (view[p] != 0) rule.add(heap[view[p]], p, labels_beside<std::uint32_t>{view, p}, in.all()[p]...);
      }
  for (; heaps.size() > 1; heaps.pop_back())
    for (std::size_t label = 0; label <= count; ++label)
      heaps[heaps.size() - 2][label].join(heaps.back()[label]);
  EXPECT_EQ(heaps[0], expected);
}

/// Pixels of one object in boxes of any size, each a part of its own.
template <class Rule, class... In>
void check_parts(dice& from, const Rule& rule, const pixels_of<std::uint32_t>& labels,
                 const pixels_of<In>&... in) {
  static_assert(has_part_rows<Rule, std::uint32_t, In...>);
  const auto view = labels.all();
  const site origin{from.below(view.depth), from.below(view.height), from.below(view.width)};
  const auto end = [&](std::int64_t first, std::int64_t size) {
    return std::min(size, first + from.between(1, part_side));
  };
  const site last{end(origin.z, view.depth), end(origin.y, view.height), end(origin.x, view.width)};
  const auto label = view[origin];
  typename Rule::row expected;
  typename Rule::template part_row<In...> part;
  std::int64_t left = part_pixels;
  for (auto z = origin.z; z < last.z; ++z)
    for (auto y = origin.y; y < last.y; ++y)
      for (auto x = origin.x; x < last.x; ++x) {
        const site p{z, y, x};
        if (view[p] != label || left-- <= 0) continue;
        const labels_beside<std::uint32_t> near{view, p};
        rule.add(expected, p, near, in.all()[p]...);
        rule.add(part, p - origin, near, in.all()[p]...);
      }
  EXPECT_EQ(rule.widen(part, origin), expected);
}

/// Some pixels of an image one below another, within a part.
template <class Rule, class... In>
void check_column(dice& from, const Rule& rule, const pixels_of<In>&... in) {
  const std::int64_t height = std::min({in.height...}), width = std::min({in.width...});
  const site origin{0, from.below(height), from.below(width)};
  const site first{0, std::min(height - 1, origin.y + from.below(part_side)),
                   std::min(width - 1, origin.x + from.below(part_side))};
  const auto end = std::min({height, origin.y + part_side, first.y + from.between(1, part_side)});
  typename Rule::template part_row<In...> expected;
  typename Rule::template column_row<In...> column;
  for (auto y = first.y; y < end; ++y) {
    const site p{0, y, first.x};
    rule.add_place(expected, p - origin, in.all()[p]...);
    rule.add_below(column, in.all()[p]...);
  }
  EXPECT_EQ(rule.part_of(column, site{0, end, first.x} - origin), expected);
}

template <class T>
void check_rules(dice& from, bool volume) {
  const std::int64_t depth = volume ? from.between(1, 5) : 1, height = from.between(1, 9),
                     width = from.between(1, from.once_in(3) ? 200 : 40);
  const auto count = static_cast<std::uint32_t>(from.between(1, 600));
  pixels_of<std::uint32_t> labels{depth, height, width, {}};
  pixels_of<T> intensity{depth, height, width, {}};
  const auto run = from.between(1, 9);
  for (std::int64_t i = 0, label = 0; i < depth * height * width; ++i) {
    if (from.once_in(run)) label = from.between(0, count);
    labels.values.push_back(static_cast<std::uint32_t>(label));
    intensity.values.push_back(static_cast<T>(from.between(-120, 120)));
  }
  check_laws(from, object_size{}, count, labels);
  check_laws(from, object_extent{{depth, height, width, {}}, volume}, count, labels);
  check_laws(from, object_intensities{{16.0}}, count, labels, intensity);
  if (volume) {
    check_laws(from, object_sums<3, false>{}, count, labels);
    check_laws(from, object_sums<3, true>{{0.5}}, count, labels, intensity);
  } else {
    check_laws(from, object_sums<2, false>{}, count, labels);
    check_laws(from, object_sums<2, true>{{1024.0}}, count, labels, intensity);
  }
}

/// With the extremes of T, in images large enough for a whole part.
template <class T>
void check_parts_of(dice& from) {
  for (const bool volume : {false, true}) {
    const std::int64_t depth = volume ? from.between(1, 70) : 1, height = from.between(1, volume ? 70 : 200),
                       width = from.between(1, volume ? 70 : 200);
    pixels_of<std::uint32_t> labels{depth, height, width, {}};
    pixels_of<T> intensity{depth, height, width, {}};
    const auto several = from.below(3);
    const double scale = std::is_floating_point_v<T> ? 1024.0 : 1;
    const T low = std::is_floating_point_v<T> ? T(-8e9) : std::numeric_limits<T>::lowest(),
            high = std::is_floating_point_v<T> ? T(8e9) : std::numeric_limits<T>::max();
    for (std::int64_t i = 0; i < depth * height * width; ++i) {
      labels.values.push_back(static_cast<std::uint32_t>(several ? from.between(1, several) : 1));
      intensity.values.push_back(from.once_in(several + 2) ? low : high);
    }
    constexpr bool wide = std::is_integral_v<T> && sizeof(T) == 8;
    const auto check = [&]<int Rank>() {
      const object_sums<Rank, true> weighed{{wide ? 0x1p-21 : scale}};
      check_parts(from, object_sums<Rank, false>{}, labels);
      check_parts(from, weighed, labels, intensity);
      if constexpr (Rank == 2) check_column(from, weighed, intensity);
    };
    volume ? check.template operator()<3>() : check.template operator()<2>();
  }
}

/// Up to 32 pixels of a row at once, a bit for each, from what its own definition says of the pixels beside
/// them.
void check_outline(const pixels_of<std::uint32_t>& labels) {
  using rule = object_sums<2, false>;
  static_assert(has_outline<rule, std::uint32_t>);
  const auto view = labels.all();
  const auto label_at = [&](std::int64_t y, std::int64_t x) {
    return view.contains({0, y, x}) ? view[{0, y, x}] : 0;
  };
  const auto on_border = [&](std::int64_t y, std::int64_t x) {
    const auto own = label_at(y, x);
    return label_at(y - 1, x) != own || label_at(y + 1, x) != own || label_at(y, x - 1) != own ||
           label_at(y, x + 1) != own;
  };
  for (std::int64_t y = 0; y < view.height; ++y)
    for (std::int64_t first = 0; first < view.width; first += 32) {
      const auto words = [&](auto&& holds) {
        const auto word = [&](int dy, int dx) {
          std::uint32_t bits = 0;
          for (std::int64_t i = 0; i < std::min<std::int64_t>(32, view.width - first); ++i)
            bits |= static_cast<std::uint32_t>(holds(y, first + i, y + dy, first + i + dx)) << i;
          return bits;
        };
        return beside<std::uint32_t>{word(-1, -1), word(-1, 0), word(-1, 1), word(0, -1),
                                     word(0, 1),   word(1, -1), word(1, 0),  word(1, 1)};
      };
      const auto outline = rule::outline(
          words([&](auto py, auto px, auto qy, auto qx) { return label_at(py, px) == label_at(qy, qx); }),
          words([&](auto, auto, auto qy, auto qx) { return on_border(qy, qx); }));
      for (std::int64_t i = 0; i < std::min<std::int64_t>(32, view.width - first); ++i) {
        const site p{0, y, first + i};
        if (view[p] == 0) continue;
        rule::row expected, found;
        rule{}.add(expected, p, labels_beside<std::uint32_t>{view, p});
        rule{}.add_place(found, p);
        rule{}.add_outline(found, outline, static_cast<int>(i));
        ASSERT_EQ(found, expected) << "row " << y << ", column " << p.x;
      }
    }
}

TEST(tally_rules, outlines_of_many_pixels_at_once) {
  dice from(seed_of("tally_rules", 3, 1));
  for (int i = 0; i < 400; ++i) {
    pixels_of<std::uint32_t> labels{1, from.between(1, 12), from.between(1, 70), {}};
    const auto most = from.between(1, 3), run = from.between(1, 6);
    for (std::int64_t j = 0, label = 0; j < labels.height * labels.width; ++j) {
      if (from.once_in(run)) label = from.between(0, most);
      labels.values.push_back(static_cast<std::uint32_t>(label));
    }
    check_outline(labels);
    if (HasFailure()) FAIL() << "image " << i;
  }
}

TEST(tally_rules, parts_widen_to_rows) {
  dice from(seed_of("tally_rules", 2, 1));
  for (int i = 0; i < 20; ++i) {
    check_parts_of<std::uint8_t>(from);
    check_parts_of<std::int8_t>(from);
    check_parts_of<std::uint16_t>(from);
    check_parts_of<std::int32_t>(from);
    check_parts_of<float>(from);
    check_parts_of<std::int64_t>(from);
    check_parts_of<double>(from);
    if (HasFailure()) FAIL() << "image " << i;
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
