// Sources and sinks that count and fail, and images of waves, for tests of operators in pieces.
#pragma once

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
#include <macareu/shapes.hpp>

#include "support/dice.hpp"
#include "support/mazes.hpp"
#include "support/same.hpp"

namespace macareu::test {

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

/// What the sources of one call share, or its sinks: they are called by one thread at a time.
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

/// Sinks may be called while sources are.
struct turns {
  one_at_a_time sources, sinks;
};

inline constexpr int never = std::numeric_limits<int>::max();

class counting_source final : public image_source {
 public:
  counting_source(const image& pixels, turns& turn, int fails_at = never)
      : pixels_(pixels),
        turn_(turn.sources),
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
  counting_sink(const source_form& form, turns& turn, int fails_at = never)
      : pixels(form.type, form.shape, form.channels), turn_(turn.sinks), fails_at_(fails_at) {
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
    turns turn;
    std::deque<counting_source> sources;
    std::vector<const_image_view> views;
    for (const auto* input : inputs) {
      sources.emplace_back(*input, turn);
      views.emplace_back(*input);
    }
    std::vector<image_source*> from;
    for (auto& source : sources) from.push_back(&source);
    if (!about.table.empty()) {
      EXPECT_EQ(to_csv(compute_table_in_pieces(about, from, given, how_, options_)),
                to_csv(compute_table(about, views, given)));
    } else if (!about.shapes.empty()) {
      std::vector<shape> found;
      compute_shapes_in_pieces(
          about, from, [&](const shape& one) { found.push_back(one); }, given, how_, options_);
      std::ranges::sort(found, {}, &shape::label);
      EXPECT_TRUE(found == compute_shapes(about, views, given));
    } else {
      counting_sink sink(output_of(about, sources, given), turn);
      run(about, sources, sink, given);
      EXPECT_TRUE(std::ranges::all_of(sink.writes, [](int count) { return count == 1; }));
      EXPECT_TRUE(same_bits(sink.pixels, run_operator(about, views, given)[0]));
    }
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
inline image drawn(const extents& shape, const std::function<std::int64_t(std::int64_t)>& value) {
  image made(dtype::u8, shape);
  auto pixels = made.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(value(static_cast<std::int64_t>(i)));
  return made;
}

inline std::vector<wave_images> wave_scenes(const extents& shape) {
  dice from(seed_of("pieces", shape.pixels()));
  const auto path = serpentine(shape);
  const auto at = [&](std::int64_t i) { return path[static_cast<std::size_t>(i)]; };
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

}  // namespace macareu::test
