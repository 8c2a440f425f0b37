// Operators in pieces read as documented (docs/explanation/pieces.md): how often each pixel, by how many
// threads at a time.
#include <algorithm>
#include <numeric>
#include <utility>

#include "operators/pieces_fixture.hpp"

namespace macareu::test {
namespace {

/// For every pixel the pieces that contain it, if each reaches so far before its first and behind its last
/// pixel.
counts pieces_around(const extents& shape, const sides& piece, const sides& before, const sides& behind) {
  counts found(static_cast<std::size_t>(shape.pixels()));
  const sides whole{shape.depth(), shape.height(), shape.width()};
  for (std::int64_t z = 0; z < whole[0]; z += piece[0])
    for (std::int64_t y = 0; y < whole[1]; y += piece[1])
      for (std::int64_t x = 0; x < whole[2]; x += piece[2]) {
        const sides first{z, y, x};
        image_region region;
        for (std::size_t a = 0; a < 3; ++a) {
          region.first[a] = std::max<std::int64_t>(0, first[a] - before[a]);
          region.size[a] = std::min(whole[a], first[a] + piece[a] + behind[a]) - region.first[a];
        }
        over(shape, region, [&](std::size_t i) { ++found[i]; });
      }
  return found;
}

counts times(int factor, counts each) {
  for (auto& count : each) count *= factor;
  return each;
}
counts plus(counts each, int more) {
  for (auto& count : each) count += more;
  return each;
}

void expect_at_most(const counts& found, const counts& most) {
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(found[i], most[i]) << "pixel " << i << " was read too often";
}

const std::vector<std::pair<extents, sides>> cuts{{{40, 50}, {1, 8, 16}},
                                                  {{40, 50}, {1, 1, 50}},
                                                  {{40, 50}, {1, 64, 64}},
                                                  {{12, 14, 16}, {4, 5, 6}},
                                                  {{9, 10, 11}, {1, 3, 11}}};

sides by_one(const extents& shape) { return {shape.rank() == 3 ? 1 : 0, 1, 1}; }

TEST_F(operators_in_pieces, waves_read_every_pixel_at_most_twice) {
  for (const auto& [shape, piece] : cuts)
    for (const auto& scene : wave_scenes(shape)) {
      SCOPED_TRACE(scene.name + " of " + to_string(shape) + ", pieces of " + std::to_string(piece[1]) +
                   " x " + std::to_string(piece[2]));
      options_.size = piece;
      const auto once = pieces_around(shape, piece, by_one(shape), by_one(shape));
      const auto reads = reads_of("reconstruct", {&scene.marker, &scene.mask}, {});
      expect_at_most(reads[0], once);
      expect_at_most(reads[1], plus(once, 1));
      expect_at_most(reads_of("fill_holes", {&scene.mask}, {})[0], plus(once, 1));
      // The file of the result: every pixel twice at most, and lists of pixels that can still rise.
      EXPECT_LE(report_.scratch_written, 2 * shape.pixels() + shape.pixels());
    }
}

TEST_F(operators_in_pieces, components_read_every_pixel_at_most_twice) {
  for (const auto& [shape, piece] : cuts)
    for (const auto& scene : wave_scenes(shape)) {
      options_.size = piece;
      const bool volume = shape.rank() == 3;
      const sides band{piece[0], volume ? shape.height() : piece[1], shape.width()};
      const auto once = pieces_around(shape, band, {0, 0, 0}, {volume ? 1 : 0, volume ? 0 : 1, 0});
      expect_at_most(reads_of("label", {&scene.marker}, {})[0], times(2, once));  // a last band is kept
      EXPECT_LE(report_.scratch_written, 4 * shape.pixels());                     // work files are coded
    }
}

/// Lines read labels with a halo, so pieces of several rows are asked for in turns.
TEST_F(operators_in_pieces, basins_are_computed_once_on_all_threads) {
  const extents shape{90, 130};
  image heights(dtype::u8, shape), seeds(dtype::u32, shape);
  std::ranges::fill(heights.pixels<std::uint8_t>(), std::uint8_t{3});
  auto labels = seeds.pixels<std::uint32_t>();
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(1 + i % 1000);
  options_.size = {1, 16, 16};
  int alone = 0;
  for (const int threads : {1, 2, 3, 4, 7}) {
    how_.threads = threads;
    const auto reads = reads_of("watershed", {&heights, &seeds}, {{"lines", true}})[1];
    const auto total = std::accumulate(reads.begin(), reads.end(), 0);
    if (threads == 1) alone = total;
    EXPECT_LE(total, alone) << threads;  // boxes that are read at one time share some
  }
}

/// What operators have no default for.
arguments required_by(std::string_view name) {
  if (name == "hysteresis") return {{"low", number(50)}, {"high", number(220)}};
  if (name == "reconstruct") return {{"clip", true}};
  if (name.starts_with("h_") || name.starts_with("hm") || name == "hdome") return {{"h", number(40)}};
  return {};
}

/// Operators read a pixel in the middle of a piece, where no halo reaches, as often as their pages say.
TEST_F(operators_in_pieces, operators_have_the_passes_of_their_pages) {
  const extents shape{120, 150};
  options_.size = {1, 60, 75};
  std::vector<image> images;
  for (auto& scene : wave_scenes(shape)) images.push_back(std::move(scene.mask));
  // One end of the serpentine is higher, or lower, than the rest of it, which other pieces have.
  auto path = serpentine(shape);
  const auto last = std::ranges::max(path);
  for (const bool inverted : {false, true})
    images.push_back(drawn(shape, [&](std::int64_t i) {
      const auto at = path[static_cast<std::size_t>(i)];
      const int value = at < 0 ? 5 : at == last ? 255 : 200;
      return inverted ? 255 - value : value;
    }));
  dice from(seed_of("passes", 1));
  image numbers(dtype::u8, shape), colour(dtype::u8, shape, 3), kernel(dtype::u8, {3, 3});
  images.push_back(drawn(shape, [&](std::int64_t) { return from.below(200); }));
  for (std::int64_t i = 0; i < shape.pixels(); ++i)
    numbers.pixels<std::uint8_t>()[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(i / 150 / 12 % 2 * (1 + i % 150 / 15));
  images.push_back(std::move(numbers));
  std::memset(colour.data(), 99, colour.bytes());
  std::memset(kernel.data(), 1, kernel.bytes());
  const auto seed =
      drawn(shape, [&](std::int64_t i) { return path[static_cast<std::size_t>(i)] == last ? 200 : 0; });
  for (const auto& about : catalogue()) {
    int least = never, most = 0;  // of all images
    for (const auto& pixels : images) {
      std::vector<const image*> inputs;
      for (const auto& input : about.inputs)
        if (!input.optional)
          inputs.push_back(about.takes_colour       ? &colour
                           : input.name == "kernel" ? &kernel
                           : input.name == "marker" ? &seed
                                                    : &pixels);
      try {
        int found = 0;
        for (const auto& reads : reads_of(std::string(about.name).c_str(), inputs, required_by(about.name)))
          if (std::ssize(reads) == shape.pixels()) found = std::max(found, reads[22 * 150 + 20]);
        least = std::min(least, found);
        most = std::max(most, found);
      } catch (const usage_error&) {
        // not every image has objects for every operator
      }
    }
    const auto& told = about.reads_in_pieces;
    EXPECT_EQ(told.more.empty() ? most : least, told.times) << about.name;
  }
}

TEST_F(operators_in_pieces, lines_maps_and_windows_read_every_pixel_once) {
  for (const auto& [shape, piece] : cuts)
    for (const auto& scene : wave_scenes(shape)) {
      options_.size = piece;
      const counts once(static_cast<std::size_t>(shape.pixels()), 1);
      EXPECT_EQ(reads_of("distance_transform", {&scene.marker}, {})[0], once);
      EXPECT_EQ(reads_of("invert", {&scene.mask}, {})[0], once);
      EXPECT_EQ(report_.scratch_written, 0);
      const auto reads = reads_of("subtract", {&scene.mask, &scene.marker}, {});
      EXPECT_EQ(reads[0], once);
      EXPECT_EQ(reads[1], once);
      const auto near = by_one(shape);
      EXPECT_EQ(reads_of("median", {&scene.mask}, {{"size", number(3)}})[0],
                pieces_around(shape, piece, near, near));
      EXPECT_EQ(report_.scratch_written, 0);
    }
}

image with_floats(const image& from) {
  image made(dtype::f32, from.shape());
  std::ranges::copy(from.pixels<std::uint8_t>(), made.pixels<float>().begin());
  return made;
}

TEST_F(operators_in_pieces, floats_are_not_read_once_more_for_nan) {
  for (const auto& [shape, piece] : cuts)
    for (const auto& scene : wave_scenes(shape)) {
      options_.size = piece;
      const auto mask = with_floats(scene.mask);
      const auto once = pieces_around(shape, piece, by_one(shape), by_one(shape));
      expect_at_most(reads_of("fill_holes", {&mask}, {})[0], plus(once, 1));
      EXPECT_EQ(reads_of("median", {&mask}, {{"size", number(3)}})[0], once);
    }
}

TEST_F(operators_in_pieces, the_first_nan_is_named_wherever_pieces_end) {
  const extents shape{40, 50};
  for (const auto& piece : {sides{1, 8, 16}, sides{1, 1, 50}, sides{1, 40, 7}, sides{1, 64, 64}}) {
    options_.size = piece;
    auto image = with_floats(wave_scenes(shape)[1].mask);
    for (const int place : {27 * 50 + 3, 12 * 50 + 49, 12 * 50 + 17}) {
      image.pixels<float>()[static_cast<std::size_t>(place)] = std::numeric_limits<float>::quiet_NaN();
      for (const char* const name : {"fill_holes", "median", "threshold", "statistics"}) {
        const auto& about = *find_operator(name);
        const arguments given;
        const std::vector<const_image_view> views{image};
        turns turn;
        std::deque<counting_source> sources;
        sources.emplace_back(image, turn);
        std::string expected;
        if (about.table.empty()) {
          expected = message_of<usage_error>([&] { run_operator(about, views, given); });
          counting_sink sink(output_of(about, sources, given), turn);
          EXPECT_EQ(message_of<usage_error>([&] { run(about, sources, sink, given); }), expected);
        } else {
          expected = message_of<usage_error>([&] { compute_table(about, views, given); });
          EXPECT_EQ(message_of<usage_error>([&] {
                      compute_table_in_pieces(about, std::array<image_source*, 1>{&sources[0]}, given, how_,
                                              options_);
                    }),
                    expected);
        }
        EXPECT_NE(expected.find("is NaN at row"), std::string::npos) << expected;
        EXPECT_TRUE(nothing_is_left());
      }
    }
  }
}

/// In memory NaN is looked for before anything else. In pieces that is done while inputs are read.
TEST_F(operators_in_pieces, of_two_errors_the_one_of_memory_is_told) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  image with_nan(dtype::f32, {40, 50}), later_nan(dtype::f32, {40, 50});
  with_nan.pixels<float>()[33 * 50 + 7] = nan;
  later_nan.pixels<float>()[35 * 50 + 7] = nan;
  const image empty(dtype::u8, {3, 3});
  image markers(dtype::i32, {40, 50});
  markers.pixels<std::int32_t>()[3] = -1;
  struct wrong_call {
    const char* name;
    std::vector<const image*> inputs;
    arguments given;
  };
  std::vector<wrong_call> calls;
  for (const char* const name :
       {"erosion", "dilation", "opening", "closing", "white_tophat", "black_tophat", "morphological_gradient",
        "opening_by_reconstruction", "closing_by_reconstruction"})
    calls.push_back({name, {&with_nan, &empty}, {}});
  calls.push_back({"watershed", {&with_nan, &markers}, {}});
  calls.push_back({"reconstruct", {&later_nan, &with_nan}, {{"clip", true}}});
  calls.push_back({"reconstruct", {&with_nan, &later_nan}, {{"clip", true}}});
  for (const auto& each : calls) {
    SCOPED_TRACE(each.name);
    const auto& about = *find_operator(each.name);
    std::vector<const_image_view> views;
    turns turn;
    std::deque<counting_source> sources;
    for (const auto* input : each.inputs) {
      views.emplace_back(*input);
      sources.emplace_back(*input, turn);
    }
    const auto expected = message_of<usage_error>([&] { run_operator(about, views, each.given); });
    EXPECT_NE(expected.find("is NaN at row"), std::string::npos) << expected;
    for (const auto& piece : {sides{1, 8, 16}, sides{1, 64, 64}, sides{}}) {
      options_.size = piece;
      options_.memory = std::int64_t{1} << 20;
      counting_sink sink(output_of(about, sources, each.given), turn);
      EXPECT_EQ(message_of<usage_error>([&] { run(about, sources, sink, each.given); }), expected);
      EXPECT_TRUE(nothing_is_left());
    }
  }
}

TEST_F(operators_in_pieces, pieces_follow_the_chunks_of_the_input) {
  const extents shape{200, 300};
  const image pixels(dtype::u8, shape);
  for (const sides& tile : {sides{1, 16, 64}, sides{1, 8, 300}, sides{1, 70, 10}})
    for (const auto& [name, memory] : {std::pair{"invert", 200'000}, std::pair{"median", 200'000},
                                       std::pair{"label", 700'000}, std::pair{"fill_holes", 700'000}}) {
      const auto& about = *find_operator(name);
      options_.memory = memory;
      turns turn;
      std::deque<counting_source> sources;
      sources.emplace_back(pixels, turn);
      sources[0].tile = tile;
      counting_sink sink(output_of(about, sources, {}), turn);
      run(about, sources, sink, {});
      ASSERT_GT(sources[0].regions.size(), 1u) << name;
      for (const auto& region : sources[0].regions)
        for (const std::size_t axis : {1u, 2u}) {
          // Halos of windows and waves reach one pixel further.
          const auto first = region.first[axis] + (region.first[axis] % tile[axis] == tile[axis] - 1);
          const bool whole = region.size[axis] == (axis == 1 ? 200 : 300);
          EXPECT_TRUE(whole || first % tile[axis] == 0) << name << ", " << region.first[axis];
        }
    }
}

TEST_F(operators_in_pieces, channels_share_what_is_read) {
  for (const auto& piece : {sides{1, 8, 16}, sides{1, 1, 50}, sides{1, 64, 64}}) {
    options_.size = piece;
    image colour(dtype::u8, {40, 50}, 3);
    dice from(seed_of("colour", 1));
    for (auto& value : std::span(static_cast<std::uint8_t*>(colour.data()), colour.bytes()))
      value = static_cast<std::uint8_t>(from.below(256));
    const counts once(40 * 50, 1);
    EXPECT_EQ(reads_of("invert", {&colour}, {})[0], once);
    EXPECT_EQ(reads_of("median", {&colour}, {{"size", number(3)}})[0],
              pieces_around({40, 50}, piece, {0, 1, 1}, {0, 1, 1}));
  }
}

}  // namespace
}  // namespace macareu::test
