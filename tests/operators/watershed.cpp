// Watershed: known answers, and an independent oracle: Dijkstra on (pass, steps) with random orders of
// equals.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include <macareu/pieces.hpp>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

using labels = std::vector<std::uint32_t>;
using time = std::pair<double, std::int64_t>;  // the pass, and steps since it was reached

const time never{std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};

struct flooding {
  extents shape;
  std::vector<double> f;
  labels markers;
  std::vector<std::uint8_t> inside;
  int reach = 1;

  /// visit(index) for the neighbours in the order of ties.
  template <class Visit>
  void near(std::int64_t p, const Visit& visit) const {
    const auto h = shape.height(), w = shape.width();
    const auto z = p / w / h, y = p / w % h, x = p % w;
    for (int axes = 1; axes <= reach; ++axes)
      for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            if (std::abs(dz) + std::abs(dy) + std::abs(dx) != axes) continue;
            const auto Z = z + dz, Y = y + dy, X = x + dx;
            if (Z < 0 || Z >= shape.depth() || Y < 0 || Y >= h || X < 0 || X >= w) continue;
            const auto q = (Z * h + Y) * w + X;
            if (inside[static_cast<std::size_t>(q)]) visit(static_cast<std::size_t>(q));
          }
  }
  bool is_marker(std::size_t p) const { return inside[p] && markers[p] != 0; }
};

struct flooded {
  std::vector<time> times;
  labels result;
};

flooded by_dijkstra(const flooding& a, dice& from) {
  struct item {
    time at;
    std::int64_t tie;
    std::size_t p;
    bool operator<(const item& other) const { return at != other.at ? at > other.at : tie > other.tie; }
  };
  flooded done{std::vector<time>(a.f.size(), never), labels(a.f.size())};
  std::priority_queue<item> queue;
  for (std::size_t p = 0; p < a.f.size(); ++p)
    if (a.is_marker(p)) queue.push({done.times[p] = {a.f[p], 0}, from.below(1000), p});
  std::vector<std::size_t> order;
  while (!queue.empty()) {
    const auto top = queue.top();
    queue.pop();
    if (top.at != done.times[top.p]) continue;
    order.push_back(top.p);
    a.near(static_cast<std::int64_t>(top.p), [&](std::size_t q) {
      const time offer = std::max(time{top.at.first, top.at.second + 1}, time{a.f[q], 0});
      if (offer < done.times[q]) queue.push({done.times[q] = offer, from.below(1000), q});
    });
  }
  for (const auto p : order) {
    if (done.result[p] != 0) continue;
    done.result[p] = a.markers[p];
    if (a.is_marker(p)) continue;
    auto least = done.times[p];
    a.near(static_cast<std::int64_t>(p), [&](std::size_t q) {
      if (done.times[q] < least) least = done.times[q], done.result[p] = done.result[q];
    });
  }
  return done;
}

labels with_lines(const flooding& a, const labels& of) {
  auto result = of;
  for (std::size_t p = 0; p < of.size(); ++p)
    if (of[p] != 0 && !a.is_marker(p))
      a.near(static_cast<std::int64_t>(p), [&](std::size_t q) {
        if (of[q] != 0 && of[q] != of[p] && (a.is_marker(q) || of[q] < of[p])) result[p] = 0;
      });
  return result;
}

TEST(watershed, known_answer) {
  const picture<std::uint8_t> f{{1, 7}, {0, 1, 3, 2, 2, 1, 0}};
  const picture<std::int32_t> markers{{1, 7}, {7, 0, 0, 0, 0, 0, 4}};
  EXPECT_EQ(values_of<std::uint32_t>(watershed(f, {.markers = markers.view()}, on_serial)),
            (labels{7, 7, 7, 4, 4, 4, 4}));
  EXPECT_EQ(values_of<std::uint32_t>(watershed(f, {.markers = markers.view(), .lines = true}, on_serial)),
            (labels{7, 7, 0, 4, 4, 4, 4}));
  EXPECT_EQ(values_of<std::uint32_t>(watershed(f, {}, on_serial)), (labels{1, 1, 1, 2, 2, 2, 2}));
}

TEST(watershed, mask_stops_the_flood) {
  const picture<std::uint8_t> f{{1, 7}, {255, 255, 255, 255, 255, 255, 255}};
  const picture<std::uint8_t> markers{{1, 7}, {0, 5, 0, 0, 0, 0, 0}}, mask{{1, 7}, {1, 1, 2, 0, 1, 0, 0}};
  const auto result = watershed(f, {.markers = markers.view(), .mask = mask.view()}, on_serial);
  EXPECT_EQ(values_of<std::uint32_t>(result), (labels{5, 5, 5, 0, 0, 0, 0}));
  // Parts of the mask with nothing but the highest value are minima too.
  EXPECT_EQ(values_of<std::uint32_t>(watershed(f, {.mask = mask.view()}, on_serial)),
            (labels{1, 1, 1, 0, 2, 0, 0}));
}

TEST(watershed, minima_deeper_than_h) {
  const picture<std::int16_t> f{{1, 9}, {-9, 0, -3, 0, -4, 2, 1, 2, 0}};
  const auto of = [&](double h) { return values_of<std::uint32_t>(watershed(f, {.h = h}, on_serial)); };
  EXPECT_EQ(of(0), (labels{1, 1, 2, 3, 3, 3, 4, 5, 5}));
  EXPECT_EQ(of(1), (labels{1, 1, 2, 3, 3, 3, 3, 4, 4}));
  EXPECT_EQ(of(3), (labels{1, 1, 1, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(of(1000), (labels{1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

/// Code is shared by width: order and heights are those of the type.
TEST(watershed, order_of_each_type) {
  const picture<std::int32_t> markers{{1, 5}, {1, 0, 0, 0, 2}};
  const auto check = [&]<class T>(const std::vector<T>& f) {
    const picture<T> landscape{{1, 5}, f};
    image got(dtype::u32, {1, 5}), passes(dtype_of<T>, {1, 5});
    run_operator(*find_operator("watershed"), std::vector<const_image_view>{landscape, markers},
                 std::vector<image_view>{got, passes}, {}, on_serial);
    EXPECT_EQ(values_of<std::uint32_t>(got), (labels{1, 1, 2, 2, 2})) << name_of(dtype_of<T>);
    EXPECT_EQ(values_of<T>(passes), (std::vector<T>{f[0], f[1], f[3], f[3], f[4]})) << name_of(dtype_of<T>);
  };
  check(std::vector<std::int8_t>{-128, 127, -3, -2, -7});
  check(std::vector<std::uint8_t>{0, 255, 3, 4, 1});
  check(std::vector<std::int64_t>{-5, 1LL << 60, -3, -2, -7});
  check(std::vector<float>{-5, 3, -3, -0.0F, -7});
  check(std::vector<double>{-5, std::numeric_limits<double>::infinity(), -3e-300, 4e-300, -7});
  // -0 is 0: a plateau.
  const picture<float> flat{{1, 5}, {0, -0.0F, 0, -0.0F, 0}};
  EXPECT_EQ(values_of<std::uint32_t>(watershed(flat, {.markers = markers.view()}, on_serial)),
            (labels{1, 1, 1, 2, 2}));
}

TEST(watershed, refusals) {
  const picture<float> f{{1, 3}, {0, 1, std::numeric_limits<float>::quiet_NaN()}}, flat{{1, 3}, {0, 0, 0}};
  const picture<std::int32_t> one{{1, 3}, {1, 0, 0}}, none{{1, 3}, {0, 0, 0}}, negative{{1, 3}, {1, 0, -4}},
      shorter{{1, 2}, {1, 2}};
  const picture<std::uint64_t> huge{{1, 3}, {1, 4294967294, 0}};
  const picture<std::uint8_t> beside{{1, 3}, {0, 1, 1}};
  const auto message = [](const picture<float>& landscape, const watershed_options& options) {
    return message_of<usage_error>([&] { watershed(landscape, options, on_serial); });
  };
  EXPECT_NE(message(f, {.markers = one.view()}).find("is NaN at row 0, column 2"), std::string::npos);
  EXPECT_NE(message(f, {.markers = none.view(), .mask = beside.view()}).find("is NaN at row 0, column 2"),
            std::string::npos);
  EXPECT_NE(message(flat, {.markers = none.view()}).find("are 0 everywhere"), std::string::npos);
  EXPECT_NE(message(flat, {.markers = negative.view()}).find("got -4 at row 0, column 2"), std::string::npos);
  EXPECT_NE(message(flat, {.markers = huge.view()}).find("got 4294967294 at row 0, column 1"),
            std::string::npos);
  EXPECT_EQ(message(flat, {.markers = one.view(), .mask = beside.view()}),
            "watershed: markers: expected 0 outside mask, got 1 at row 0, column 0");
  EXPECT_NE(message(flat, {.markers = flat.view()}).find("expected whole numbers"), std::string::npos);
  EXPECT_NE(message(flat, {.markers = one.view(), .h = 2}).find("give one of them"), std::string::npos);
  EXPECT_EQ(message(flat, {.markers = shorter.view()}),
            "watershed: markers is 1 x 2, but landscape is 1 x 3: they must have one shape");
  const image empty(dtype::u8, {0, 0});
  EXPECT_EQ(message(flat, {.markers = one.view(), .mask = empty}),
            "watershed: mask is 0 x 0, but landscape is 1 x 3: they must have one shape");
}

std::vector<image> in_pieces_of(const operator_description& about,
                                const std::vector<const_image_view>& inputs, const std::vector<dtype>& types,
                                const extents& shape, const arguments& given,
                                std::array<std::int64_t, 3> size) {
  std::vector<image> results;
  std::vector<std::unique_ptr<image_source>> sources;
  std::vector<std::unique_ptr<image_sink>> sinks;
  std::vector<image_source*> from;
  std::vector<image_sink*> to;
  for (const auto& input : inputs)
    from.push_back(input.data() ? sources.emplace_back(source_of(input)).get() : nullptr);
  for (const auto type : types) results.emplace_back(type, shape);
  for (auto& result : results) to.push_back(sinks.emplace_back(sink_to(result)).get());
  run_in_pieces(about, from, to, given, {}, {.size = size});
  return results;
}

template <class T>
void check_landscape_outside_the_mask() {
  const auto& about = *find_operator("watershed");
  constexpr auto nan = std::numeric_limits<T>::quiet_NaN();
  const std::array beyond{nan, -nan, -std::numeric_limits<T>::infinity()};
  for (std::int64_t i = 0; i < scaled(60); ++i) {
    dice from(seed_of("watershed outside", dtype_of<T>, i));
    const extents shape{from.between(1, 20), from.between(1, 20)};
    picture<T> given{shape, {}};
    picture<std::uint8_t> mask{shape, {}}, markers{shape, {}};
    for (std::int64_t p = 0; p < shape.pixels(); ++p) {
      mask.pixels.push_back(p == 0 || from.once_in(2));
      const bool marked = p == 0 || (mask.pixels.back() && from.once_in(8));
      markers.pixels.push_back(static_cast<std::uint8_t>(marked ? from.between(1, 5) : 0));
      given.pixels.push_back(static_cast<T>(from.between(0, 9)));
    }
    auto other = given;
    for (std::size_t p = 0; p < other.pixels.size(); ++p)
      if (!mask.pixels[p]) other.pixels[p] = beyond[static_cast<std::size_t>(from.between(0, 2))];
    for (const bool from_markers : {true, false})
      for (const double h : {0.0, 2.0}) {
        if (from_markers && h != 0) continue;
        const arguments values{{"h", number(h)}, {"lines", from.once_in(2)}};
        const auto inputs_of = [&](const picture<T>& landscape) {
          return std::vector<const_image_view>{landscape, from_markers ? markers.view() : no_image, mask};
        };
        const auto expected = run_operator(about, inputs_of(given), values, on_serial);
        for (const auto& how : {on_serial, context{.device = "cpu"}})
          EXPECT_EQ(values_of<std::uint32_t>(run_operator(about, inputs_of(other), values, how)[0]),
                    values_of<std::uint32_t>(expected[0]))
              << how.device << ", image " << i;
        EXPECT_EQ(values_of<std::uint32_t>(
                      in_pieces_of(about, inputs_of(other), {dtype::u32}, shape, values, {0, 5, 7})[0]),
                  values_of<std::uint32_t>(expected[0]))
            << "pieces, image " << i;
      }
  }
}

TEST(watershed, landscape_outside_the_mask_does_not_matter) {
  check_landscape_outside_the_mask<float>();
  check_landscape_outside_the_mask<double>();
}

TEST(watershed, equals_dijkstra) {
  const auto& about = *find_operator("watershed");
  const std::array neighbour_counts{4, 8, 6, 18, 26};
  for (std::int64_t i = 0; i < scaled(4000); ++i) {
    const auto seed = seed_of("watershed", dtype::f32, i);
    dice from(seed);
    const int count = neighbour_counts[static_cast<std::size_t>(i) % 5];
    const bool volume = count != 4 && count != 8;
    SCOPED_TRACE("connectivity " + std::to_string(count) + ", seed " + std::to_string(seed));
    const auto side = [&](int longest) { return from.between(1, longest); };
    flooding a{volume ? extents{side(7), side(9), side(9)} : extents{side(20), side(20)},
               {},
               {},
               {},
               count == 4 || count == 6 ? 1
               : count == 26            ? 3
                                        : 2};
    const auto pixels = static_cast<std::size_t>(a.shape.pixels());
    const auto kind = from.below(4), values = 1 + from.below(5), density = 2 + from.below(40);
    const bool masked = from.once_in(3);
    picture<float> f{a.shape, {}};
    picture<std::int16_t> markers{a.shape, {}};
    picture<std::uint8_t> mask{a.shape, {}};
    for (std::size_t p = 0; p < pixels; ++p) {
      const auto x = static_cast<std::int64_t>(p) % a.shape.width();
      f.pixels.push_back(kind == 0   ? static_cast<float>(from.between(-1000, 1000)) / 7
                         : kind == 1 ? static_cast<float>(x / 3 + from.below(2))
                                     : static_cast<float>(from.below(values)));
      mask.pixels.push_back(!masked || !from.once_in(5) ? 3 : 0);
      const bool marked = from.once_in(static_cast<int>(density)) && mask.pixels[p] != 0;
      markers.pixels.push_back(static_cast<std::int16_t>(marked ? 1 + from.below(6) : 0));
    }
    for (std::size_t p = 0; p < pixels; ++p) {
      a.f.push_back(f.pixels[p]);
      a.inside.push_back(mask.pixels[p] != 0);
      a.markers.push_back(static_cast<std::uint32_t>(markers.pixels[p]));
    }
    if (std::none_of(a.f.begin(), a.f.end(),
                     [&, p = std::size_t{0}](double) mutable { return a.is_marker(p++); }))
      continue;
    const auto expected = by_dijkstra(a, from);
    std::vector<double> heights;
    for (const auto& at : expected.times) heights.push_back(at.first);
    for (const bool lines : {false, true}) {
      const arguments given{{"connectivity", connectivity(count)}, {"lines", lines}};
      const std::vector<const_image_view> inputs{f, markers, masked ? mask.view() : no_image};
      const auto wanted = lines ? with_lines(a, expected.result) : expected.result;
      const auto check = [&](const image& got, const image& passes) {
        ASSERT_EQ(values_of<std::uint32_t>(got), wanted);
        const auto found = values_of<float>(passes);
        ASSERT_EQ(std::vector<double>(found.begin(), found.end()), heights);
      };
      for (const auto* device : {"serial", "cpu"}) {
        image got(dtype::u32, a.shape), passes(dtype::f32, a.shape);
        run_operator(about, inputs, std::vector<image_view>{got, passes}, given, {.device = device});
        ASSERT_NO_FATAL_FAILURE(check(got, passes)) << device;
      }
      if (i % 4 != 0) continue;  // pieces take longer
      const auto parts =
          in_pieces_of(about, inputs, {dtype::u32, dtype::f32}, a.shape, given, {side(5), side(8), side(8)});
      ASSERT_NO_FATAL_FAILURE(check(parts[0], parts[1])) << "in pieces";
    }
  }
}

/// Several tiles of the cpu engine, with paths that cross many of them.
template <class T>
void compare_tiles_with_serial(int i) {
  const auto& about = *find_operator("watershed");
  dice from(seed_of("watershed tiles", dtype::u8, i));
  const extents shape = i % 3 == 2 ? extents{40, 70, 130} : extents{300, 600};
  picture<T> f{shape, {}};
  picture<std::uint8_t> mask{shape, {}};
  picture<std::uint32_t> markers{shape, {}};
  for (std::int64_t p = 0; p < shape.pixels(); ++p) {
    const auto y = p / shape.width() % shape.height(), x = p % shape.width();
    const bool wall = i % 4 == 1 && y % 2 == 1 && x != (y / 2 % 2 ? 0 : shape.width() - 1);
    f.pixels.push_back(static_cast<T>(i % 4 < 2 ? 255 : from.below(i % 4 == 2 ? 3 : 256)));
    mask.pixels.push_back(!wall);
    const bool marked = !wall && (p == 0 || from.once_in(20000));
    markers.pixels.push_back(marked ? static_cast<std::uint32_t>(p + 1) : 0);
  }
  for (const int reach : {0, 1}) {
    const arguments given{{"connectivity", std::string(reach ? "full" : "face")}};
    const std::vector<const_image_view> inputs{f, markers, mask};
    const auto expected = run_operator(about, inputs, given, on_serial);
    for (const int threads : {1, 3})
      EXPECT_TRUE(same_bits(run_operator(about, inputs, given, {.device = "cpu", .threads = threads})[0],
                            expected[0]))
          << "image " << i << ", " << threads << " threads";
  }
}

TEST(watershed, tiles_agree_with_serial) {
  for (int i = 0; i < 12; ++i)
    if (i % 5 == 2)
      compare_tiles_with_serial<std::uint16_t>(i);
    else if (i % 5 == 3)
      compare_tiles_with_serial<float>(i);
    else if (i % 5 == 4)
      compare_tiles_with_serial<double>(i);
    else
      compare_tiles_with_serial<std::uint8_t>(i);
}

/// Rounds of corrections: a winding plateau is longer than one, and lakes of several depths cross tiles.
TEST(watershed, corrections_cross_tiles_in_order) {
  const auto& about = *find_operator("watershed");
  const extents shape{260, 1030};
  for (const int gap : {2, 5, 40}) {
    picture<std::uint8_t> f{shape, {}};
    picture<std::uint32_t> markers{shape, {}};
    for (std::int64_t p = 0; p < shape.pixels(); ++p) {
      const auto y = p / shape.width(), x = p % shape.width();
      const bool wall = x % gap == gap - 1 && y != (x / gap % 2 ? 0 : shape.height() - 1);
      f.pixels.push_back(static_cast<std::uint8_t>(wall ? 9 : 1 + x / 400));
      markers.pixels.push_back(p == 0 || p == shape.pixels() / 2 ? static_cast<std::uint32_t>(p + 1) : 0);
    }
    for (const auto* reach : {"face", "full"}) {
      const arguments given{{"connectivity", std::string(reach)}};
      const std::vector<const_image_view> inputs{f, markers};
      const auto expected = run_operator(about, inputs, given, on_serial);
      for (const int threads : {1, 4})
        EXPECT_TRUE(same_bits(run_operator(about, inputs, given, {.device = "cpu", .threads = threads})[0],
                              expected[0]))
            << "gap " << gap << ", " << reach << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace macareu::test
