#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>

#include "core/neighbourhood.hpp"
#include "operators/pictures.hpp"
#include "support/dice.hpp"

namespace macareu::test {
namespace {

std::vector<std::uint32_t> labels_of(const const_image_view& image, const label_options& options = {},
                                     const context& how = on_serial) {
  return values_of<std::uint32_t>(label(image, options, how));
}

using numbers = std::vector<std::uint32_t>;

TEST(label, numbers_objects_in_raster_order) {
  const picture<std::uint8_t> f{{4, 5}, {0, 0, 0, 7, 0,  //
                                         0, 1, 0, 7, 0,  //
                                         0, 1, 0, 0, 9,  //
                                         1, 0, 0, 0, 9}};
  EXPECT_EQ(labels_of(f.view()), (numbers{0, 0, 0, 1, 0,  //
                                          0, 2, 0, 1, 0,  //
                                          0, 2, 0, 0, 1,  //
                                          2, 0, 0, 0, 1}));
  EXPECT_EQ(labels_of(f.view(), {.connectivity = 4}), (numbers{0, 0, 0, 1, 0,  //
                                                               0, 2, 0, 1, 0,  //
                                                               0, 2, 0, 0, 3,  //
                                                               4, 0, 0, 0, 3}));
}

TEST(label, counts_objects) {
  const picture<std::uint8_t> f{{1, 6}, {1, 0, 1, 0, 1, 1}};
  for (const char* device : {"serial", "cpu"}) {
    run_report report;
    label(f.view(), {}, {.device = device, .report = &report});
    EXPECT_EQ(report.count, 3) << device;
  }
}

TEST(label, values_have_a_background_of_their_own) {
  const picture<std::int16_t> f{{2, 4},
                                {-1, -1, 0, 5,  //
                                 -1, 5, 5, 0}};
  EXPECT_EQ(labels_of(f.view(), {.connectivity = 4, .values = true}), (numbers{1, 1, 0, 2, 1, 3, 3, 0}));
  EXPECT_EQ(labels_of(f.view(), {.connectivity = 4, .values = true, .background = -1}),
            (numbers{0, 0, 1, 2, 0, 3, 3, 4}));
  // A background that no pixel can have is none.
  EXPECT_EQ(labels_of(f.view(), {.connectivity = 4, .values = true, .background = 0.5}),
            (numbers{1, 1, 2, 3, 1, 4, 4, 5}));
}

TEST(label, intervals_are_classes) {
  const picture<std::uint8_t> f{{1, 8}, {0, 50, 51, 120, 121, 60, 49, 255}};
  const std::vector<interval> given{{0, 50}, {51, 120}};
  EXPECT_EQ(labels_of(f.view(), {.intervals = given}), (numbers{1, 1, 2, 2, 0, 3, 4, 0}));
}

TEST(label, bounds_of_intervals_are_exact) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  const picture<std::int64_t> f{{1, 3}, {big - 1, big, big + 1}};
  EXPECT_EQ(labels_of(f.view(), {.intervals = {{big, big}}}), (numbers{0, 1, 0}));
  const picture<float> g{{1, 3}, {0.1F, 0.2F, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_EQ(labels_of(g.view(), {.intervals = {{0.1, 0.15}}}), (numbers{1, 0, 0}));  // 0.1F is above 0.1
  EXPECT_EQ(labels_of(g.view(), {.intervals = {{0, 0.1}}}), (numbers{0, 0, 0}));
  const picture<float> whole{{1, 3}, {16777216, 16777218, 16777220}};
  EXPECT_EQ(labels_of(whole.view(), {.intervals = {{16777217, 16777219}}}), (numbers{0, 1, 0}));
  const picture<double> wide{{1, 3}, {0x1p53, 0x1p63, 0x1p64}};
  EXPECT_EQ(labels_of(wide.view(), {.intervals = {{big, std::numeric_limits<std::int64_t>::max()}}}),
            (numbers{0, 0, 0}));
  EXPECT_EQ(labels_of(wide.view(), {.intervals = {{big, std::numeric_limits<std::uint64_t>::max()}}}),
            (numbers{0, 1, 0}));
  EXPECT_EQ(labels_of(wide.view(), {.intervals = {{std::numeric_limits<std::int64_t>::min(), big}}}),
            (numbers{1, 0, 0}));
  // No pixel can have this background.
  EXPECT_EQ(labels_of(whole.view(), {.values = true, .background = 16777217}), (numbers{1, 2, 3}));
  const picture<std::uint8_t> h{{1, 3}, {0, 200, 255}};
  EXPECT_EQ(labels_of(h.view(), {.intervals = {{-5, 0.5}, {254.5, 1e30}}}), (numbers{1, 0, 2}));
}

TEST(label, refuses_what_cannot_be) {
  const picture<std::uint8_t> f{{1, 2}, {1, 2}};
  EXPECT_THROW(label(f.view(), {.intervals = {{0, 5}, {5, 9}}}), usage_error);
  EXPECT_THROW(label(f.view(), {.intervals = {{5, 0}}}), usage_error);
  EXPECT_THROW(label(f.view(), {.values = true, .intervals = {{0, 5}}}), usage_error);
  EXPECT_THROW(label(f.view(), {.background = 2}), usage_error);
  EXPECT_THROW(label(f.view(), {.background = 2, .intervals = {{0, 5}}}), usage_error);
  EXPECT_THROW(label(f.view(), {.connectivity = 6}), usage_error);
  const picture<float> g{{1, 2}, {1, std::numeric_limits<float>::quiet_NaN()}};
  EXPECT_THROW(label(g.view(), {.values = true}), usage_error);
  EXPECT_EQ(labels_of(g.view()), (numbers{1, 1}));
}

TEST(label, is_wide_where_asked_or_needed) {
  const auto& about = *find_operator("label");
  const extents slide{65536, 65536};
  EXPECT_EQ(output_type(about, 0, dtype::u8, slide), dtype::u32);
  EXPECT_EQ(output_type(about, 0, dtype::u8, slide, {{"values", true}}), dtype::u64);
  EXPECT_EQ(output_type(about, 0, dtype::u8, {2, 2}, {{"type", std::string("u64")}}), dtype::u64);
  const picture<std::uint8_t> f{{1, 3}, {1, 0, 1}};
  for (const char* device : {"serial", "cpu"})
    EXPECT_EQ(values_of<std::uint64_t>(label(f.view(), {.type = label_type::u64}, {.device = device})),
              (std::vector<std::uint64_t>{1, 0, 2}));
}

/// By definition: the least pixel reachable, by relaxation until nothing changes; then ranks.
template <class T, class Joined>
numbers by_definition(const picture<T>& f, const neighbourhood& near, Joined&& joined) {
  const auto height = f.shape.height(), width = f.shape.width();
  std::vector<std::size_t> least(f.pixels.size());
  std::iota(least.begin(), least.end(), std::size_t{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < least.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      near.for_each({at / width / height, at / width % height, at % width}, [&](site q) {
        if (q.z < 0 || q.z >= f.shape.depth() || q.y < 0 || q.y >= height || q.x < 0 || q.x >= width) return;
        const auto j = static_cast<std::size_t>((q.z * height + q.y) * width + q.x);
        if (!joined(f.pixels[i], f.pixels[j]) || least[j] >= least[i]) return;
        least[i] = least[j];
        changed = true;
      });
    }
  }
  numbers result(least.size()), rank(least.size());
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (!joined(f.pixels[i], f.pixels[i])) continue;
    if (least[i] == i) rank[i] = ++count;
    result[i] = rank[least[i]];
  }
  return result;
}

TEST(label, equals_brute_force) {
  for_random_images("label", 120, []<class T>(dtype type, neighbours near, dice& from) {
    const auto f = draw_picture<T>(from, type, near.rank);
    const neighbourhood around{near.rank, connectivity(near.count).reach(near.rank)};
    const connectivity given(near.count);
    for (const char* device : {"serial", "cpu"}) {
      const context how{.device = device};
      const auto set = [](T a, T b) { return a != 0 && b != 0; };
      ASSERT_EQ(labels_of(f.view(), {.connectivity = given}, how), by_definition(f, around, set)) << device;
      T nothing = from.pick(f.pixels);
      if (!std::isfinite(static_cast<double>(nothing))) nothing = T{};
      const auto equal = [&](T a, T b) { return a == b && a != nothing; };
      ASSERT_EQ(labels_of(f.view(), {.connectivity = given, .values = true, .background = nothing}, how),
                by_definition(f, around, equal))
          << device;
      const T middle = from.pick(f.pixels);
      using limits = std::numeric_limits<T>;
      const T lowest = limits::has_infinity ? -limits::infinity() : limits::lowest();
      const auto low = [&](T a, T b) { return a <= middle && b <= middle; };
      ASSERT_EQ(labels_of(f.view(), {.connectivity = given, .intervals = {{lowest, middle}}}, how),
                by_definition(f, around, low))
          << device;
    }
  });
}

TEST(relabel, drops_objects) {
  const picture<std::uint8_t> f{{5, 6}, {1, 0, 0, 0, 0, 0,  //
                                         0, 0, 1, 1, 0, 0,  //
                                         0, 0, 0, 0, 0, 1,  //
                                         0, 1, 0, 1, 0, 1,  //
                                         0, 0, 0, 0, 0, 1}};
  const auto all = label(f.view(), {}, on_serial);
  for (const char* device : {"serial", "cpu"}) {
    const auto kept = [&](const relabel_options& options) {
      run_report report;
      std::string text;
      for (const auto number :
           values_of<std::uint32_t>(relabel(all, options, {.device = device, .report = &report})))
        text += static_cast<char>('0' + number);
      return text + ":" + std::to_string(report.count);
    };
    EXPECT_EQ(kept({}), "100000002200000003040503000003:5");
    EXPECT_EQ(kept({.min_size = 2}), "000000001100000002000002000002:2");
    EXPECT_EQ(kept({.max_size = 1}), "100000000000000000020300000000:3");
    EXPECT_EQ(kept({.largest = 1}), "000000000000000001000001000001:1");
    EXPECT_EQ(kept({.largest = 3}), "100000002200000003000003000003:3");  // of equals the first
    EXPECT_EQ(kept({.clear_border = true}), "000000001100000000020300000000:3");
    EXPECT_THROW(kept({.largest = 2.5}), usage_error);
  }
}

TEST(relabel, numbers_in_raster_order) {
  const picture<std::int32_t> f{{1, 8}, {9, -4, 0, 7, 7, 9, 12, 7}};
  for (const char* device : {"serial", "cpu"}) {
    const auto numbered = [&](const relabel_options& options) {
      return values_of<std::uint32_t>(relabel(f.view(), options, {.device = device}));
    };
    EXPECT_EQ(numbered({}), (numbers{1, 0, 0, 2, 2, 1, 3, 2}));
    EXPECT_EQ(numbered({.min_size = 2}), (numbers{1, 0, 0, 2, 2, 1, 0, 2}));
  }
  const picture<std::uint64_t> wide{{1, 4}, {9, 0, 3, 9}};
  for (const char* device : {"serial", "cpu"})
    EXPECT_EQ(values_of<std::uint64_t>(relabel(wide.view(), {.min_size = 2}, {.device = device})),
              (std::vector<std::uint64_t>{1, 0, 0, 1}));
  const picture<float> fractions{{1, 1}, {1}};
  EXPECT_THROW(relabel(fractions.view()), usage_error);
}

TEST(relabel, numbers_by_size_or_label) {
  const picture<std::uint64_t> f{{1, 9}, {9, 9, 5, 7, 7, 3, 3, 3, 1ULL << 60}};
  for (const char* device : {"serial", "cpu"}) {
    const auto numbered = [&](const relabel_options& options) {
      return values_of<std::uint64_t>(relabel(f.view(), options, {.device = device}));
    };
    using wide = std::vector<std::uint64_t>;
    EXPECT_EQ(numbered({.order = relabel_order::label}), (wide{4, 4, 2, 3, 3, 1, 1, 1, 5}));
    EXPECT_EQ(numbered({.order = relabel_order::size}), (wide{3, 3, 4, 2, 2, 1, 1, 1, 5}));
    EXPECT_EQ(numbered({.min_size = 2, .order = relabel_order::label}), (wide{3, 3, 0, 2, 2, 1, 1, 1, 0}));
  }
}

TEST(relabel, numbers_labels_of_any_size) {
  const std::uint64_t huge = std::uint64_t{1} << 40;
  const picture<std::uint64_t> wide{{2, 3}, {huge, 0, 7, 7, huge + 1, huge}};
  const picture<std::int64_t> narrow{{2, 3}, {1LL << 40, -(1LL << 50), 7, 7, 5000000, 1LL << 40}};
  const picture<std::uint32_t> sparse{{1, 3}, {4294967295U, 0, 5000000}};
  for (const char* device : {"serial", "cpu"}) {
    const context how{.device = device};
    EXPECT_EQ(values_of<std::uint64_t>(relabel(wide.view(), {}, how)),
              (std::vector<std::uint64_t>{1, 0, 2, 2, 3, 1}));
    EXPECT_EQ(values_of<std::uint32_t>(relabel(narrow.view(), {.min_size = 2}, how)),
              (numbers{1, 0, 2, 2, 0, 1}));
    EXPECT_EQ(values_of<std::uint32_t>(relabel(sparse.view(), {}, how)), (numbers{1, 0, 2}));
  }
}

/// Most labels differ in their lowest bits, or only in their highest.
TEST(relabel, numbers_sparse_labels_as_dense_ones) {
  std::mt19937_64 random(11);
  for (std::int64_t round = 0; round < scaled(180); ++round) {
    const auto shift = random() % 44;
    const std::uint64_t names = 1 + random() % 40, base = random() % (std::uint64_t{1} << 63);
    picture<std::uint64_t> sparse{{7, 30}, std::vector<std::uint64_t>(210)}, dense = sparse;
    for (std::size_t i = 0; i < 210; ++i) {
      dense.pixels[i] = random() % (names + 1);
      sparse.pixels[i] = dense.pixels[i] == 0 ? 0 : base + (dense.pixels[i] << shift);
    }
    for (const char* device : {"serial", "cpu"}) {
      const context how{.device = device};
      for (const relabel_options& options : {relabel_options{}, {.min_size = 7}, {.largest = 3}})
        ASSERT_EQ(values_of<std::uint64_t>(relabel(sparse.view(), options, how)),
                  values_of<std::uint64_t>(relabel(dense.view(), options, how)))
            << round;
    }
  }
}

}  // namespace
}  // namespace macareu::test
