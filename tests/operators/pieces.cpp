// Operators in pieces read and write as documented (docs/explanation/pieces.md): how often each pixel, by how
// many threads at a time, and what a source that fails leaves behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <macareu/macareu.hpp>
#include <macareu/pieces.hpp>

#include "catalogue/passes.hpp"
#include "support/dice.hpp"
#include "support/mazes.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;
using counts = std::vector<int>;
using sides = std::array<std::int64_t, 3>;

/// visit(index) for all pixels of a region.
template <class Visit>
void over(const extents& shape, const image_region& region, const Visit& visit) {
  for (auto z = region.first[0]; z < region.first[0] + region.size[0]; ++z)
    for (auto y = region.first[1]; y < region.first[1] + region.size[1]; ++y)
      for (auto x = region.first[2]; x < region.first[2] + region.size[2]; ++x)
        visit(static_cast<std::size_t>((z * shape.height() + y) * shape.width() + x));
}

/// What the sources and sinks of one call share: they are called by one thread at a time.
class one_at_a_time {
 public:
  template <class Call>
  void operator()(const Call& call) {
    EXPECT_FALSE(inside_.exchange(true)) << "two threads at once";
    const std::shared_ptr<void> leaves(nullptr, [this](void*) { inside_ = false; });
    std::this_thread::sleep_for(std::chrono::microseconds(20));  // so that a second one would meet the first
    call();
  }

 private:
  std::atomic<bool> inside_ = false;
};

constexpr int never = std::numeric_limits<int>::max();

class counting_source final : public image_source {
 public:
  counting_source(const image& pixels, one_at_a_time& turn, int fails_at = never)
      : pixels_(pixels),
        turn_(turn),
        form_{pixels.type(), pixels.shape(), pixels.channels()},
        fails_at_(fails_at) {
    reads.resize(static_cast<std::size_t>(pixels.shape().pixels()));
  }
  const source_form& form() const override { return form_; }
  std::string identity() const override { return name; }
  sides chunk() const override { return tile; }
  void read(const image_region& from, void* to) override {
    turn_([&] {
      regions.push_back(from);
      if (calls++ == fails_at_) throw io_error("disk: read error");
      const auto bytes = size_of(form_.type) * static_cast<std::size_t>(form_.channels);
      auto* place = static_cast<std::byte*>(to);
      over(form_.shape, from, [&](std::size_t i) {
        ++reads[i];
        std::memcpy(place, static_cast<const std::byte*>(pixels_.data()) + i * bytes, bytes);
        place += bytes;
      });
    });
  }

  std::string name = "counted";
  sides tile{};
  std::vector<image_region> regions;
  counts reads;
  int calls = 0;

 private:
  const image& pixels_;
  one_at_a_time& turn_;
  source_form form_;
  int fails_at_;
};

class counting_sink final : public image_sink {
 public:
  counting_sink(const source_form& form, one_at_a_time& turn, int fails_at = never)
      : pixels(form.type, form.shape, form.channels), turn_(turn), fails_at_(fails_at) {
    writes.resize(static_cast<std::size_t>(form.shape.pixels()));
  }
  void write(const image_region& to, const void* from) override {
    turn_([&] {
      if (calls++ == fails_at_) throw io_error("disk: write error");
      const auto bytes = size_of(pixels.type()) * static_cast<std::size_t>(pixels.channels());
      const auto* place = static_cast<const std::byte*>(from);
      over(pixels.shape(), to, [&](std::size_t i) {
        ++writes[i];
        std::memcpy(static_cast<std::byte*>(pixels.data()) + i * bytes, place, bytes);
        place += bytes;
      });
    });
  }
  void commit() override {}

  image pixels;
  counts writes;
  int calls = 0;

 private:
  one_at_a_time& turn_;
  int fails_at_;
};

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

class operators_in_pieces : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    scratch_ = fs::temp_directory_path() / (std::string("macareu-pieces-") + test->name());
    fs::remove_all(scratch_);
    fs::create_directory(scratch_);
    options_.scratch = scratch_;
    options_.report = &report_;
  }
  void TearDown() override { fs::remove_all(scratch_); }

  bool nothing_is_left() const { return fs::is_empty(scratch_); }

  source_form output_of(const operator_description& about, std::deque<counting_source>& sources,
                        const arguments& given) const {
    std::vector<image_source*> from;
    for (auto& source : sources) from.push_back(&source);
    return output_form(about, 0, from, given);
  }
  void run(const operator_description& about, std::deque<counting_source>& sources, counting_sink& sink,
           const arguments& given) const {
    std::vector<image_source*> from;
    for (auto& source : sources) from.push_back(&source);
    run_in_pieces(about, from, std::array<image_sink*, 1>{&sink}, given, how_, options_);
  }

  /// Runs an operator in pieces, compares its result with that in memory, and returns the reads of its
  /// inputs.
  std::vector<counts> reads_of(const char* name, const std::vector<const image*>& inputs,
                               const arguments& given) {
    const auto& about = *find_operator(name);
    one_at_a_time turn;
    std::deque<counting_source> sources;
    std::vector<const_image_view> views;
    for (const auto* input : inputs) {
      sources.emplace_back(*input, turn);
      views.emplace_back(*input);
    }
    counting_sink sink(output_of(about, sources, given), turn);
    run(about, sources, sink, given);
    EXPECT_TRUE(std::ranges::all_of(sink.writes, [](int count) { return count == 1; }));
    EXPECT_TRUE(same_bits(sink.pixels, run_operator(about, views, given)[0]));
    EXPECT_TRUE(nothing_is_left());
    std::vector<counts> reads;
    for (auto& source : sources) reads.push_back(source.reads);
    return reads;
  }

  fs::path scratch_;
  piece_options options_;
  piece_report report_;
  context how_{.device = "cpu", .threads = 2};
};

/// Noise, a corridor through all pieces, and large flat parts, with the seed of a wave.
struct wave_images {
  std::string name;
  image marker, mask;
};
image drawn(const extents& shape, const std::function<std::int64_t(std::int64_t)>& value) {
  image made(dtype::u8, shape);
  auto pixels = made.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(value(static_cast<std::int64_t>(i)));
  return made;
}
std::vector<wave_images> wave_scenes(const extents& shape) {
  dice from(seed_of("pieces", shape.pixels()));
  const auto corridor = serpentine(shape);
  const auto at = [&](std::int64_t i) { return corridor[static_cast<std::size_t>(i)]; };
  std::vector<wave_images> scenes;
  scenes.push_back({"serpentine", drawn(shape, [&](std::int64_t i) { return at(i) == 0 ? 200 : 0; }),
                    drawn(shape, [&](std::int64_t i) { return at(i) < 0 ? 5 : 200; })});
  auto noise = drawn(shape, [&](std::int64_t) { return from.below(256); });
  auto below = drawn(shape, [&](std::int64_t i) {
    return from.below(1 + noise.pixels<std::uint8_t>()[static_cast<std::size_t>(i)]);
  });
  scenes.push_back({"noise", std::move(below), std::move(noise)});
  auto flat = drawn(shape, [&](std::int64_t i) { return 20 * (i / 7 % 5); });
  auto seeds = drawn(shape, [&](std::int64_t i) {
    return from.once_in(50) ? flat.pixels<std::uint8_t>()[static_cast<std::size_t>(i)] : 0;
  });
  scenes.push_back({"flat parts", std::move(seeds), std::move(flat)});
  return scenes;
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
      EXPECT_LE(report_.scratch_written, 4 * shape.pixels());  // work files are coded
    }
}

/// Operators read a pixel in the middle of a piece, where no halo reaches, as often as their pages say.
TEST_F(operators_in_pieces, operators_have_the_passes_of_their_pages) {
  const extents shape{120, 150};
  options_.size = {1, 60, 75};
  std::vector<image> images;
  for (auto& scene : wave_scenes(shape)) images.push_back(std::move(scene.mask));
  dice from(seed_of("passes", 1));
  image noise(dtype::u8, shape), numbers(dtype::u8, shape);
  for (auto& value : noise.pixels<std::uint8_t>()) value = static_cast<std::uint8_t>(from.below(200));
  for (std::int64_t i = 0; i < shape.pixels(); ++i)
    numbers.pixels<std::uint8_t>()[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(i / 150 / 12 % 2 * (1 + i % 150 / 15));
  images.push_back(std::move(noise));
  images.push_back(std::move(numbers));
  for (const auto& [name, told] : passes_in_pieces) {
    if (name == "reconstruct") continue;  // with markers, above
    const auto& about = *find_operator(name);
    int most = 0;
    for (const auto& pixels : images) {
      std::vector<const image*> inputs;
      for (const auto& input : about.inputs)
        if (!input.optional) inputs.push_back(&pixels);
      try {
        for (const auto& reads : reads_of(std::string(name).c_str(), inputs, {}))
          most = std::max(most, reads[30 * 150 + 37]);
      } catch (const usage_error&) {
        // not every image has objects for every operator
      }
    }
    EXPECT_EQ(most, told) << name;
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
        one_at_a_time turn;
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

TEST_F(operators_in_pieces, pieces_follow_the_chunks_of_the_input) {
  const extents shape{200, 300};
  const image pixels(dtype::u8, shape);
  for (const sides& tile : {sides{1, 16, 64}, sides{1, 8, 300}, sides{1, 70, 10}})
    for (const auto& [name, memory] : {std::pair{"invert", 200'000}, std::pair{"median", 200'000},
                                       std::pair{"label", 700'000}, std::pair{"fill_holes", 700'000}}) {
      const auto& about = *find_operator(name);
      options_.memory = memory;
      one_at_a_time turn;
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

TEST_F(operators_in_pieces, small_limits_are_refused_before_pixels_are_read) {
  const image pixels(dtype::u8, {200, 300});
  for (const char* const name : {"invert", "median", "distance_transform", "label", "fill_holes", "canny"}) {
    const auto& about = *find_operator(name);
    options_.memory = 100;
    one_at_a_time turn;
    std::deque<counting_source> sources;
    sources.emplace_back(pixels, turn);
    counting_sink sink(output_of(about, sources, {}), turn);
    EXPECT_NE(message_of<usage_error>([&] { run(about, sources, sink, {}); }).find("memory: this needs "),
              std::string::npos)
        << name;
    EXPECT_EQ(sources[0].calls, 0) << name;
    EXPECT_TRUE(nothing_is_left());
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

TEST_F(operators_in_pieces, an_error_in_the_middle_is_reported_and_leaves_nothing) {
  options_.size = {1, 8, 16};
  const auto scenes = wave_scenes({40, 50});
  const auto& scene = scenes[0];
  for (const char* const name : {"reconstruct", "label", "distance_transform", "median"}) {
    const auto& about = *find_operator(name);
    const bool two = about.inputs.size() == 2;
    const auto count = [&](bool in_source, int fails_at, std::string* message) {
      one_at_a_time turn;
      std::deque<counting_source> sources;
      if (two) sources.emplace_back(scene.marker, turn);
      sources.emplace_back(scene.mask, turn, in_source ? fails_at : never);
      counting_sink sink(output_of(about, sources, {}), turn, in_source ? never : fails_at);
      try {
        run(about, sources, sink, {});
      } catch (const io_error& error) {
        *message = error.what();
      }
      EXPECT_TRUE(nothing_is_left()) << name;
      return in_source ? sources.back().calls : sink.calls;
    };
    for (const bool in_source : {true, false}) {
      std::string message;
      const int calls = count(in_source, never, &message);
      EXPECT_EQ(message, "");
      EXPECT_GT(calls, 1) << name;
      for (int i = 0; i < calls; ++i) {
        message.clear();
        count(in_source, i, &message);
        ASSERT_EQ(message, in_source ? "disk: read error" : "disk: write error") << name << ", call " << i;
      }
    }
  }
}

TEST_F(operators_in_pieces, a_run_with_a_name_is_resumed_after_an_error) {
  options_.size = {1, 8, 16};
  const auto scenes = wave_scenes({40, 50});
  for (const auto& scene : scenes)
    for (const int fails_at : {0, 3, 11, 19, 22, 30}) {
      SCOPED_TRACE(scene.name + ", error at call " + std::to_string(fails_at));
      const auto& about = *find_operator("reconstruct");
      one_at_a_time turn;
      const auto run_with = [&](int fails) {
        std::deque<counting_source> sources;
        sources.emplace_back(scene.marker, turn);
        sources.emplace_back(scene.mask, turn, fails);
        counting_sink sink(output_of(about, sources, {}), turn);
        run(about, sources, sink, {});
        const std::vector<const_image_view> views{scene.marker, scene.mask};
        EXPECT_TRUE(same_bits(sink.pixels, run_operator(about, views)[0]));
        return sources[1].calls;
      };
      options_.name = "";
      options_.resume = false;
      const int calls = run_with(never);
      if (fails_at >= calls) continue;
      options_.name = "named";
      EXPECT_EQ(message_of<io_error>([&] { run_with(fails_at); }),
                "disk: read error; what is done is kept, and --resume continues");
      EXPECT_FALSE(nothing_is_left());
      options_.resume = true;
      EXPECT_LE(run_with(never), calls);
      EXPECT_TRUE(nothing_is_left());
    }
}

TEST_F(operators_in_pieces, sources_that_may_be_others_are_not_resumed) {
  options_.size = {1, 8, 16};
  options_.name = "named";
  const auto scenes = wave_scenes({40, 50});
  const auto& about = *find_operator("label");
  const auto run_with = [&](const std::string& name, int fails_at) {
    one_at_a_time turn;
    std::deque<counting_source> sources;
    sources.emplace_back(scenes[0].mask, turn, fails_at);
    sources[0].name = name;
    counting_sink sink(output_of(about, sources, {}), turn);
    run(about, sources, sink, {});
  };
  EXPECT_NE(message_of<io_error>([&] { run_with("first", 4); }), "");
  options_.resume = true;
  EXPECT_EQ(
      message_of<usage_error>([&] { run_with("second", never); }),
      "--resume: the unfinished run was another one: then 'input: u8 of 40 x 50, first', now 'input: u8 "
      "of 40 x 50, second'; start again without --resume");
  EXPECT_EQ(message_of<usage_error>([&] { run_with("", never); }),
            "--resume: image cannot be compared with that of the unfinished run, as it is a pipe or has no "
            "identity; start again without --resume");
  run_with("first", never);
  EXPECT_TRUE(nothing_is_left());
}

}  // namespace
}  // namespace macareu::test
