// Contours by what they must be: polygons that are valid by the OGC's rules and cover exactly their pixels.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <macareu/shapes.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

using labels = picture<std::uint32_t>;
using place = std::pair<std::int64_t, std::int64_t>;  // y, x

std::vector<shape> contours_of(const labels& of) { return contours(of.view(), {}, on_serial); }

/// Every corner of the grid that a ring passes, from corner to corner.
std::vector<corner> path_of(const corner_ring& ring) {
  std::vector<corner> path;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    auto at = ring[i];
    const auto to = ring[(i + 1) % ring.size()];
    const auto step = [](std::int64_t a, std::int64_t b) { return a < b ? 1 : a > b ? -1 : 0; };
    const auto dx = step(at.x, to.x), dy = step(at.y, to.y);
    for (; at != to; at.x += dx, at.y += dy) path.push_back(at);
  }
  return path;
}

/// Pixels inside an odd number of rings.
std::set<place> inside(const polygon& of, const extents& shape) {
  std::map<place, int> crossings;  // of the pixel's left edge
  for (const auto& ring : of.rings) {
    const auto path = path_of(ring);
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto &a = path[i], &b = path[(i + 1) % path.size()];
      if (a.x == b.x) ++crossings[{std::min(a.y, b.y), a.x}];
    }
  }
  std::set<place> found;
  for (std::int64_t y = 0; y < shape.height(); ++y) {
    int count = 0;
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      if (const auto here = crossings.find({y, x}); here != crossings.end()) count += here->second;
      if (count % 2) found.insert({y, x});
    }
  }
  return found;
}

/// The part of a label that has a pixel, connected along edges.
std::set<place> connected(const labels& of, place from) {
  const auto height = of.shape.height(), width = of.shape.width();
  const auto at = [&](place p) { return of.pixels[static_cast<std::size_t>(p.first * width + p.second)]; };
  std::set<place> found{from};
  for (std::vector<place> open{from}; !open.empty();) {
    const auto [y, x] = open.back();
    open.pop_back();
    for (const auto& next : {place{y - 1, x}, place{y + 1, x}, place{y, x - 1}, place{y, x + 1}})
      if (next.first >= 0 && next.first < height && next.second >= 0 && next.second < width &&
          at(next) == at(from) && found.insert(next).second)
        open.push_back(next);
  }
  return found;
}

void expect_valid_ring(const corner_ring& ring) {
  ASSERT_GE(ring.size(), 4u);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const auto &a = ring[i], &b = ring[(i + 1) % ring.size()], &c = ring[(i + 2) % ring.size()];
    ASSERT_TRUE((a.x == b.x) != (a.y == b.y)) << "not along an axis";
    ASSERT_TRUE((a.x == b.x) != (b.x == c.x)) << "does not turn";
    ASSERT_TRUE(ring[0].y < a.y || (ring[0].y == a.y && ring[0].x <= a.x)) << "does not begin at the top";
  }
  std::set<place> passed;
  for (const auto& at : path_of(ring)) ASSERT_TRUE(passed.insert({at.y, at.x}).second) << "touches itself";
}

void expect_valid(const labels& of, const std::vector<shape>& found) {
  std::map<std::uint32_t, std::set<place>> left;
  for (std::int64_t y = 0; y < of.shape.height(); ++y)
    for (std::int64_t x = 0; x < of.shape.width(); ++x)
      if (const auto label = of.pixels[static_cast<std::size_t>(y * of.shape.width() + x)]; label != 0)
        left[label].insert({y, x});
  ASSERT_EQ(found.size(), left.size());
  for (const auto& one : found) {
    auto& pixels = left[static_cast<std::uint32_t>(one.label)];
    for (const auto& part : one.parts) {
      std::set<std::array<std::int64_t, 4>> edges;
      std::int64_t area = 0;
      for (const auto& ring : part.rings) {
        ASSERT_NO_FATAL_FAILURE(expect_valid_ring(ring));
        ASSERT_EQ(doubled_area(ring) > 0, &ring == &part.rings[0])
            << "the exterior is first, and counter-clockwise";
        area += doubled_area(ring);
        const auto path = path_of(ring);
        for (std::size_t i = 0; i < path.size(); ++i) {
          const auto &a = path[i], &b = path[(i + 1) % path.size()];
          ASSERT_TRUE(
              edges.insert({std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x), std::max(a.y, b.y)})
                  .second)
              << "two rings share an edge";
        }
      }
      const auto covered = inside(part, of.shape);
      ASSERT_EQ(area, 2 * std::ssize(covered));
      ASSERT_FALSE(covered.empty());
      ASSERT_EQ(covered, connected(of, *covered.begin()));
      for (const auto& p : covered) ASSERT_EQ(pixels.erase(p), 1u);
    }
    ASSERT_TRUE(pixels.empty()) << "pixels without a polygon";
  }
}

TEST(contours, of_one_pixel) {
  const labels of{{2, 3}, {0, 0, 0, 0, 7, 0}};
  const auto found = contours_of(of);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (shape{7, {{{{{1, 1}, {2, 1}, {2, 2}, {1, 2}}}}}}));
}

TEST(contours, holes_touch_the_exterior_where_pixels_touch_at_a_corner) {
  // The hole and the outside meet at (2, 2); the part of ones is connected along edges.
  const labels of{{4, 4},
                  {1, 1, 1, 0,  //
                   1, 0, 1, 0,  //
                   1, 1, 0, 0,  //
                   0, 0, 0, 0}};
  const auto found = contours_of(of);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0].parts.size(), 1u);
  EXPECT_EQ(found[0].parts[0].rings[1], (corner_ring{{1, 1}, {1, 2}, {2, 2}, {2, 1}}));
  expect_valid(of, found);
}

TEST(contours, parts_that_touch_at_a_corner_are_polygons_of_their_own) {
  const auto found = contours_of({{2, 2}, {5, 0, 0, 5}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].parts.size(), 2u);
}

TEST(contours, an_object_in_a_hole_of_its_own_label_is_a_part) {
  labels of{{5, 5}, std::vector<std::uint32_t>(25, 3)};
  for (const auto i : {6, 7, 8, 11, 13, 16, 17, 18}) of.pixels[static_cast<std::size_t>(i)] = 0;
  const auto found = contours_of(of);
  ASSERT_EQ(found[0].parts.size(), 2u);
  EXPECT_EQ(found[0].parts[0].rings.size(), 2u);
  expect_valid(of, found);
}

TEST(contours, of_random_labels_are_valid) {
  for (std::int64_t i = 0; i < scaled(4000); ++i) {
    dice from(seed_of("contours", i));
    labels of{{from.between(1, 14), from.between(1, 14)}, {}};
    const auto kinds = from.between(1, 4);
    const bool few = from.once_in(2);
    for (std::int64_t p = 0; p < of.shape.pixels(); ++p)
      of.pixels.push_back(static_cast<std::uint32_t>(few && from.once_in(3) ? 0 : from.between(0, kinds)));
    SCOPED_TRACE("image " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(expect_valid(of, contours_of(of)));
  }
}

/// Images with few runs are read once, others twice: the same labels in a wide empty image.
TEST(contours, do_not_depend_on_how_often_rows_are_read) {
  constexpr std::int64_t side = 12, width = 2000, left = 700, top = 3;
  for (std::int64_t i = 0; i < scaled(400); ++i) {
    dice from(seed_of("contours in wide images", i));
    labels dense{{side, side}, {}}, wide{{side + 2 * top, width}, {}};
    wide.pixels.resize(static_cast<std::size_t>(wide.shape.pixels()));
    for (std::int64_t p = 0; p < dense.shape.pixels(); ++p) {
      dense.pixels.push_back(static_cast<std::uint32_t>(from.between(0, 3)));
      wide.pixels[static_cast<std::size_t>((p / side + top) * width + p % side + left)] = dense.pixels.back();
    }
    auto expected = contours_of(dense);
    for (auto& one : expected)
      for (auto& part : one.parts)
        for (auto& ring : part.rings)
          for (auto& at : ring) at = {at.x + left, at.y + top};
    EXPECT_EQ(contours_of(wide), expected) << "image " << i;
  }
}

/// Threads sweep bands of 64 rows and more. Labels may begin in any band above, or reach over all of them.
labels tall_labels(dice& from) {
  constexpr std::int64_t height = 700, width = 1200;  // wide: images with few runs are read once
  labels of{{height, width}, std::vector<std::uint32_t>(height * width)};
  const auto fill = [&](std::int64_t y, std::int64_t x, std::int64_t rows, std::int64_t columns) {
    const auto label = static_cast<std::uint32_t>(from.between(1, 40));
    for (auto v = y; v < std::min(y + rows, height); ++v)
      for (auto u = x; u < std::min(x + columns, width); ++u)
        if (!from.once_in(9)) of.pixels[static_cast<std::size_t>(v * width + u)] = label;
  };
  const auto longest = from.once_in(2) ? 60 : height;
  for (int i = 0; i < 60; ++i)
    fill(from.between(0, height - 1), from.between(0, width - 1), from.between(1, longest),
         from.between(1, 8));
  return of;
}

std::vector<shape> streamed(const labels& of, const context& how) {
  std::vector<shape> all;
  const std::array inputs{of.view()};
  compute_shapes(
      *find_operator("contours"), inputs, [&](const shape& one) { all.push_back(one); }, {}, how);
  return all;
}

TEST(contours, do_not_depend_on_threads) {
  for (std::int64_t i = 0; i < scaled(20); ++i) {
    dice from(seed_of("contours of bands", i));
    const auto of = tall_labels(from);
    const auto expected = streamed(of, on_serial);
    for (const int threads : {1, 2, 5})
      ASSERT_EQ(streamed(of, {.device = "cpu", .threads = threads}), expected) << "image " << i;
  }
}

TEST(contours, do_not_depend_on_the_memory_of_pieces) {
  dice from(seed_of("contours in pieces", 0));
  const auto of = tall_labels(from);
  const auto expected = streamed(of, on_serial);
  for (const auto& options :
       {piece_options{.size = {0, 50, 0}}, piece_options{.memory = std::int64_t{1} << 30},
        piece_options{.memory = 1 << 20}}) {
    std::vector<shape> found;
    const auto source = source_of(of.view());
    compute_shapes_in_pieces(
        *find_operator("contours"), std::array{source.get()}, [&](const shape& one) { found.push_back(one); },
        {}, {.device = "cpu", .threads = 3}, options);
    EXPECT_EQ(found, expected);
  }
}

TEST(contours, exceptions_of_the_receiver_end_the_call) {
  dice from(seed_of("contours that end", 0));
  const auto of = tall_labels(from);
  const std::array inputs{of.view()};
  for (const int threads : {1, 4}) {
    int given = 0;
    const auto take = [&](const shape&) {
      if (++given == 3) throw std::runtime_error("enough");
    };
    EXPECT_THROW(
        compute_shapes(*find_operator("contours"), inputs, take, {}, {.device = "cpu", .threads = threads}),
        std::runtime_error);
    EXPECT_EQ(given, 3);
  }
}

TEST(contours, objects_stream_in_the_order_of_last_pixels) {
  const labels of{{3, 3},
                  {2, 1, 0,  //
                   0, 1, 3,  //
                   0, 0, 3}};
  std::vector<std::uint64_t> order;
  const std::array inputs{of.view()};
  compute_shapes(*find_operator("contours"), inputs, [&](const shape& one) { order.push_back(one.label); });
  EXPECT_EQ(order, (std::vector<std::uint64_t>{2, 1, 3}));
}

TEST(contours, labels_of_any_type) {
  const picture<std::int64_t> of{{1, 3}, {-4, std::int64_t{1} << 40, 0}};
  const auto found = contours(of.view(), {}, on_serial);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, std::uint64_t{1} << 40);
}

TEST(contours, as_text) {
  const auto found = contours_of({{1, 3}, {5, 0, 5}});
  const auto text_of = [&](shape_format format, double scale) {
    std::string text;
    shape_text lines(format, scale);
    lines.begin(text);
    for (const auto& one : found) lines.add(text, one);
    lines.end(text);
    return text;
  };
  EXPECT_EQ(text_of(shape_format::wkt, 0.5),
            "label,WKT\n5,\"MULTIPOLYGON (((0 0,0.5 0,0.5 0.5,0 0.5,0 0)),"
            "((1 0,1.5 0,1.5 0.5,1 0.5,1 0)))\"\n");
  EXPECT_EQ(
      text_of(shape_format::geojson, 1),
      "{\"type\":\"FeatureCollection\",\"features\":[\n{\"type\":\"Feature\",\"properties\":{\"label\":5},"
      "\"geometry\":{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[1,0],[1,1],[0,1],[0,0]]],"
      "[[[2,0],[3,0],[3,1],[2,1],[2,0]]]]}}\n]}\n");
  EXPECT_EQ(text_of(shape_format::csv, 1).substr(0, 39), "label,part,ring,x,y\n5,0,0,0,0\n5,0,0,1,0");
}

/// Text is made in parts of some corners: a staircase of many, whose coordinates have one to four digits.
TEST(contours, text_of_many_corners) {
  shape stairs{.label = 1, .parts = {{{{}}}}};
  auto& ring = stairs.parts[0].rings[0];
  for (std::int64_t i = 0; i < 1200; ++i) {
    ring.push_back({i, i});
    ring.push_back({i + 1, i});
  }
  ring.push_back({0, 1200});
  for (const double scale : {1.0, 0.25}) {
    std::string text, expected;
    for (std::size_t i = 0; i <= ring.size(); ++i) {
      const auto& at = ring[i % ring.size()];
      std::array<char, 80> one;
      std::snprintf(one.data(), one.size(), "[%.10g,%.10g]", static_cast<double>(at.x) * scale,
                    static_cast<double>(at.y) * scale);
      expected += (i == 0 ? "" : ",") + std::string(one.data());
    }
    shape_text(shape_format::geojson, scale).add(text, stairs);
    EXPECT_EQ(text.substr(text.find("[[") + 2, expected.size()), expected);
  }
}

TEST(contours, refuse_volumes_and_fractions) {
  const picture<std::uint8_t> volume{{1, 1, 1}, {1}};
  EXPECT_EQ(message_of<usage_error>([&] { contours(volume.view()); }),
            "contours: labels is a volume: give an image");
  const picture<float> fractions{{1, 1}, {1}};
  EXPECT_NE(message_of<usage_error>([&] { contours(fractions.view()); }), "");
}

}  // namespace
}  // namespace macareu::test
