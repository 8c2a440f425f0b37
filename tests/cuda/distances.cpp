// Distance transforms on the GPU against the serial engine, or the cpu's where that takes too long: all
// metrics, spacings and types, and shapes that take every way through the kernels.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <macareu/operators.hpp>

#include "core/site.hpp"
#include "cuda/on_gpu.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

using distances = on_gpu;

/// Pixels that are not zero are 1 to 9.
image draw_sites(dice& from, dtype type, const extents& shape, const std::function<bool(site)>& is_site) {
  image drawn(type, shape);
  const auto draw = [&](auto pixels) {
    auto* next = pixels.data();
    for (std::int64_t z = 0; z < shape.depth(); ++z)
      for (std::int64_t y = 0; y < shape.height(); ++y)
        for (std::int64_t x = 0; x < shape.width(); ++x, ++next) {
          const auto value = 1 + from.below(9);
          *next = static_cast<std::remove_reference_t<decltype(*next)>>(is_site({z, y, x}) ? 0 : value);
        }
  };
  switch (type) {
    case dtype::u8:
      draw(drawn.pixels<std::uint8_t>());
      break;
    case dtype::i16:
      draw(drawn.pixels<std::int16_t>());
      break;
    case dtype::f32:
      draw(drawn.pixels<float>());
      break;
    default:
      draw(drawn.pixels<std::int64_t>());
      break;
  }
  return drawn;
}

constexpr int kinds_of_sites = 9;

/// Dense to none, and those that make searches long: one site, a line across, a circle, one side only.
image draw_sites(dice& from, dtype type, const extents& shape, int kind) {
  const auto h = std::max<std::int64_t>(shape.height(), 1), w = std::max<std::int64_t>(shape.width(), 1);
  const auto one_in = [&](int n) {
    return draw_sites(from, type, shape, [&](site) { return from.once_in(n); });
  };
  const site one{from.below(std::max<std::int64_t>(shape.depth(), 1)), from.below(h), from.below(w)};
  switch (kind) {
    case 0:
      return one_in(2);
    case 1:
      return one_in(20);
    case 2:
      return one_in(1000);
    case 3:
      return one_in(20000);
    case 4:
      return draw_sites(from, type, shape,
                        [&](site p) { return p.z == one.z && p.y == one.y && p.x == one.x; });
    case 5:
      return draw_sites(from, type, shape, [&](site p) { return p.y * w / h == p.x; });
    case 6:
      return draw_sites(from, type, shape, [&](site p) {
        const auto dy = 2 * p.y - h, dx = 2 * p.x - w, r = std::min(h, w) * 4 / 5;
        return std::abs(dy * dy + dx * dx - r * r) <= 2 * r;
      });
    case 7:
      return draw_sites(from, type, shape, [&](site p) { return p.x < w / 10 && from.once_in(3); });
    default:
      return draw_sites(from, type, shape, [](site) { return false; });
  }
}

template <class Options>
Options draw_options(dice& from, int rank) {
  using metric = decltype(Options::metric);
  Options how;
  if (from.once_in(2)) how.metric = static_cast<metric>(from.below(3));
  if (from.once_in(3)) how.max_distance = static_cast<double>(1 + from.below(60)) / 4;
  if (from.once_in(6)) how.max_distance = std::sqrt(1 + from.below(60));  // a distance, to the last bit
  if (from.once_in(3)) {
    how.spacing.clear();
    for (int axis = 0; axis < rank; ++axis)
      how.spacing.push_back(from.once_in(3) ? number(static_cast<double>(1 + from.below(30)) / 10)
                                            : number(1 + from.below(4)));
    if (from.once_in(6)) how.spacing = {1.0 / 3};
  }
  return how;
}

TEST_F(distances, equal_the_serial_engine) {
  dice from(seed_of("cuda distances"));
  for (int round = 0; round < 1500; ++round) {
    const auto side = [&](std::int64_t most) { return 1 + from.below(most); };
    const auto shape = from.once_in(2) ? extents{side(70), side(300)} : extents{side(40), side(30), side(70)};
    const auto type = from.pick(std::vector{dtype::u8, dtype::u8, dtype::i16, dtype::f32, dtype::i64});
    const int kind = static_cast<int>(from.below(kinds_of_sites));
    const auto given = draw_sites(from, type, shape, kind);
    SCOPED_TRACE("round " + std::to_string(round) + ": " + to_string(shape) + ", sites " +
                 std::to_string(kind));
    if (from.once_in(3)) {
      const auto how = draw_options<nearest_label_options>(from, shape.rank());
      ASSERT_TRUE(same_bits(nearest_label(given, how, cuda_), nearest_label(given, how, serial_)));
    } else if (from.once_in(3)) {
      auto how = draw_options<nearest_site_options>(from, shape.rank());
      how.invert = from.once_in(4);
      ASSERT_TRUE(same_bits(nearest_site(given, how, cuda_), nearest_site(given, how, serial_)));
    } else {
      auto how = draw_options<distance_transform_options>(from, shape.rank());
      how.invert = from.once_in(4);
      how.type = from.once_in(3) ? distance_transform_type::f64 : distance_transform_type::standard;
      how.squared = how.metric == distance_transform_metric::euclidean &&
                    how.type == distance_transform_type::standard && from.once_in(3);
      how.is_signed = from.once_in(4);
      ASSERT_TRUE(same_bits(distance_transform(given, how, cuda_), distance_transform(given, how, serial_)));
    }
  }
}

/// Distances, and the optional outputs beside them.
std::vector<image> with_places(const image& given, const arguments& how, bool with_labels,
                               const context& where) {
  const auto& about = *find_operator("distance_transform");
  std::vector<image> found;
  found.emplace_back(output_type(about, 0, given.type(), given.shape(), how), given.shape());
  found.emplace_back(dtype::i64, given.shape());
  found.push_back(with_labels ? image(given.type(), given.shape()) : image());
  run_operator(about, std::vector<const_image_view>{given},
               std::vector<image_view>(found.begin(), found.end()), how, where);
  return found;
}

TEST_F(distances, indices_and_labels_beside_them) {
  dice from(seed_of("cuda distances with indices and labels"));
  const std::vector<std::string> metrics{"euclidean", "city_block", "chessboard"};
  for (int round = 0; round < 300; ++round) {
    const auto side = [&](std::int64_t most) { return 1 + from.below(most); };
    const auto shape = from.once_in(2) ? extents{side(70), side(300)} : extents{side(40), side(30), side(70)};
    const auto type = from.pick(std::vector{dtype::u8, dtype::i16, dtype::f32, dtype::i64});
    const auto given = draw_sites(from, type, shape, static_cast<int>(from.below(kinds_of_sites)));
    const bool with_labels = from.once_in(2);
    arguments how{{"invert", with_labels}, {"metric", from.pick(metrics)}};
    if (from.once_in(2))
      how.emplace("spacing", draw_options<nearest_site_options>(from, shape.rank()).spacing);
    if (from.once_in(3)) how.emplace("max_distance", number(static_cast<double>(1 + from.below(60)) / 4));
    const auto found = with_places(given, how, with_labels, cuda_),
               expected = with_places(given, how, with_labels, serial_);
    for (std::size_t i = 0; i < (with_labels ? 3u : 2u); ++i)
      ASSERT_TRUE(same_bits(found[i], expected[i]))
          << "round " << round << ": " << to_string(shape) << ", output " << i;
  }
}

/// Rows in one window and in many, whole rows of four, two and one to a block, lines that fit no block, words
/// that end within a line, steps that leave 16 bits and squares that leave 32.
TEST_F(distances, of_every_length) {
  const context cpu{.device = "cpu"};
  dice from(seed_of("cuda distances of every length"));
  for (const auto& shape :
       {extents{130, 2047}, extents{65, 4096}, extents{37, 5001}, extents{66, 8192}, extents{9, 13000},
        extents{6, 27001}, extents{3, 60000}, extents{32767, 5}, extents{33001, 7}, extents{70001, 3},
        extents{40, 300, 20}, extents{5, 7001, 9}, extents{3, 24000, 5}, extents{3, 30000, 3},
        extents{7, 40, 7000}, extents{1, 500, 700}, extents{70, 1, 900}, extents{300, 700, 1}})
    for (int kind = 0; kind < kinds_of_sites; ++kind) {
      const auto given = draw_sites(from, dtype::u8, shape, kind);
      SCOPED_TRACE(to_string(shape) + ", sites " + std::to_string(kind));
      ASSERT_TRUE(same_bits(distance_transform(given, {}, cuda_), distance_transform(given, {}, cpu)));
      ASSERT_TRUE(same_bits(distance_transform(given, {.squared = true}, cuda_),
                            distance_transform(given, {.squared = true}, cpu)));
      ASSERT_TRUE(same_bits(nearest_site(given, {}, cuda_), nearest_site(given, {}, cpu)));
    }
}

/// The same with every metric, fractional spacing, limits, signs, and what nearest pixels have: lines in
/// shared memory and lines that do not fit it.
TEST_F(distances, of_many_lengths_with_options) {
  const context cpu{.device = "cpu"};
  dice from(seed_of("cuda distances of many lengths with options"));
  for (const auto& shape :
       {extents{130, 2047}, extents{66, 8192}, extents{6, 27001}, extents{3, 60000}, extents{33001, 7},
        extents{40, 300, 20}, extents{3, 24000, 5}, extents{7, 40, 7000}})
    for (int round = 0; round < 8; ++round) {
      const auto given = draw_sites(from, dtype::u8, shape, static_cast<int>(from.below(kinds_of_sites)));
      SCOPED_TRACE(to_string(shape) + ", round " + std::to_string(round));
      auto how = draw_options<distance_transform_options>(from, shape.rank());
      how.is_signed = from.once_in(2);
      how.type = from.once_in(2) ? distance_transform_type::f64 : distance_transform_type::f32;
      ASSERT_TRUE(same_bits(distance_transform(given, how, cuda_), distance_transform(given, how, cpu)));
      const auto places = draw_options<nearest_site_options>(from, shape.rank());
      ASSERT_TRUE(same_bits(nearest_site(given, places, cuda_), nearest_site(given, places, cpu)));
      const auto labels = draw_options<nearest_label_options>(from, shape.rank());
      ASSERT_TRUE(same_bits(nearest_label(given, labels, cuda_), nearest_label(given, labels, cpu)));
    }
}

/// So many pixels that the last two axes go slab by slab.
TEST_F(distances, of_volumes_in_slabs) {
  const context cpu{.device = "cpu"};
  dice from(seed_of("cuda distances in slabs"));
  const auto given = draw_sites(from, dtype::u8, {43, 700, 620}, 1);
  for (const bool with_sign : {false, true}) {
    const distance_transform_options how{.spacing = {0.7, 1.3, 2.1}, .is_signed = with_sign};
    ASSERT_TRUE(same_bits(distance_transform(given, how, cuda_), distance_transform(given, how, cpu)));
  }
}

TEST_F(distances, with_any_strides) {
  dice from(seed_of("cuda distances with any strides"));
  for (int round = 0; round < 60; ++round) {
    const auto shape = from.once_in(2) ? extents{1 + from.below(70), 1 + from.below(500)}
                                       : extents{1 + from.below(40), 1 + from.below(20), 1 + from.below(50)};
    const auto given = draw_sites(from, dtype::u8, shape, static_cast<int>(from.below(kinds_of_sites)));
    strided_image in(from, dtype::u8, shape), out(from, dtype::f32, shape);
    in.assign(given);
    distance_transform(in, out.view(), {}, cuda_);
    ASSERT_TRUE(same_bits(out, distance_transform(given, {}, serial_))) << "round " << round;
    ASSERT_TRUE(out.gaps_untouched());
  }
}

}  // namespace
}  // namespace macareu::test
