// Operators in pieces within a limit of memory: what is refused, and what goes to files.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "operators/pieces_fixture.hpp"

namespace macareu::test {
namespace {

TEST_F(operators_in_pieces, small_limits_are_refused_before_pixels_are_read) {
  const image pixels(dtype::u8, {200, 300});
  for (const char* const name : {"invert", "median", "distance_transform", "label", "fill_holes", "canny"}) {
    const auto& about = *find_operator(name);
    options_.memory = 100;
    turns turn;
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

/// Of several steps under one --resume, those after the step that was killed begin anew.
TEST_F(operators_in_pieces, steps_without_a_journal_are_planned) {
  const image pixels(dtype::u8, {200, 300});
  for (const char* const name : {"canny", "watershed", "maxima"}) {
    const auto& about = *find_operator(name);
    turns turn;
    std::deque<counting_source> sources;
    sources.emplace_back(pixels, turn);
    counting_sink sink(output_of(about, sources, {}), turn);
    options_.folder = scratch_ / "step";
    options_.resume = true;
    options_.memory = 100;
    const auto refused = [&] { return message_of<usage_error>([&] { run(about, sources, sink, {}); }); };
    const std::string words = "memory: this needs ";
    const auto least = refused();
    ASSERT_EQ(least.find(words), 0u) << least;
    options_.memory = (std::stoll(least.substr(words.size())) - 2) << 10;
    EXPECT_EQ(refused().substr(0, least.find(',')), least.substr(0, least.find(','))) << name;
    EXPECT_EQ(sources[0].calls, 0) << name;
  }
}

/// A limit that is refused names the least that works, whatever the pixels.
TEST_F(operators_in_pieces, the_least_memory_that_is_named_works) {
  const extents shape{200, 300};
  auto scene = std::move(wave_scenes(shape)[1]);
  scene.mask.pixels<std::uint8_t>()[7] = 255;  // the highest value: a watershed floods such parts apart
  const auto labels = run_operator(*find_operator("label"), std::array<const_image_view, 1>{scene.marker});
  const image empty(dtype::u8, shape);
  struct limited_call {
    const char* name;
    std::vector<const image*> inputs;
    arguments given;
  };
  const std::vector<limited_call> calls{
      {"watershed", {&scene.mask}, {}},
      {"watershed", {&scene.mask}, {{"h", number(20)}}},
      {"watershed", {&scene.mask, &labels[0]}, {}},
      {"watershed", {&scene.mask, &labels[0]}, {{"lines", true}}},
      {"watershed", {&empty}, {}},
      {"maxima", {&scene.mask}, {}},
      {"minima", {&scene.mask}, {}},
      {"maxima", {&empty}, {}},
      {"relabel", {&labels[0]}, {}},
      {"relabel", {&labels[0]}, {{"keep", std::string("area 2:9")}}},
      {"relabel", {&labels[0], &scene.mask}, {{"keep", std::string("intensity_mean 2:9")}}},
      {"remove_small", {&scene.marker}, {{"min_size", number(5)}}},
      {"rescale", {&scene.mask}, {}},
      {"threshold", {&scene.mask}, {}},
      {"hmax", {&scene.mask}, {{"h", number(9)}}},
      {"expand_labels", {&labels[0]}, {}}};
  for (const auto& each : calls) {
    SCOPED_TRACE(each.name);
    options_.memory = 100;
    const auto reads = [&] { reads_of(each.name, each.inputs, each.given); };
    const auto refused = message_of<usage_error>(reads);
    const std::string words = "memory: this needs ";
    const auto at = refused.find(words);
    ASSERT_NE(at, std::string::npos) << refused;
    options_.memory = std::stoll(refused.substr(at + words.size())) << 10;
    EXPECT_NE(refused.find(" KiB, but the limit"), std::string::npos) << refused;
    reads();
    EXPECT_GT(report_.pieces, 2);
  }
}

/// The file counts as written, so the same pieces in memory write less.
TEST_F(operators_in_pieces, rims_go_to_a_file_where_they_are_a_large_share) {
  for (const extents& shape : {extents{90, 130}, extents{20, 24, 28}})
    for (const auto& scene : wave_scenes(shape))
      for (const auto& [name, inputs] : std::vector<std::pair<const char*, std::vector<const image*>>>{
               {"reconstruct", {&scene.marker, &scene.mask}},
               {"fill_holes", {&scene.mask}},
               {"label", {&scene.marker}},
               {"watershed", {&scene.mask}}}) {
        SCOPED_TRACE(scene.name + std::string(" of ") + to_string(shape) + ", " + name);
        options_.size = {};
        options_.memory = 100;
        const auto refused = message_of<usage_error>([&] { reads_of(name, inputs, {}); });
        const std::string words = "memory: this needs ";
        ASSERT_EQ(refused.find(words), 0u) << refused;
        options_.memory = std::stoll(refused.substr(words.size())) << 10;
        const auto reads = reads_of(name, inputs, {});
        const auto written = report_.scratch_written;
        options_.size = report_.piece;
        // Passes of a watershed have pieces of several sizes: of it, results alone are compared.
        if (std::string_view(name) == "watershed") continue;
        EXPECT_EQ(reads_of(name, inputs, {}), reads);
        EXPECT_GT(written, report_.scratch_written);
      }
}

/// As many objects as an image can have, each with a row of its own.
image isolated_pixels(const extents& shape) {
  image numbers(dtype::u32, shape);
  std::ranges::fill(numbers.pixels<std::uint32_t>(), 0u);
  std::uint32_t count = 0;
  for (std::int64_t y = 0; y < shape.height(); y += 2)
    for (std::int64_t x = 0; x < shape.width(); x += 2)
      numbers.pixels<std::uint32_t>()[static_cast<std::size_t>(y * shape.width() + x)] = ++count;
  return numbers;
}

TEST_F(operators_in_pieces, rows_of_objects_go_to_a_file_where_they_are_many) {
  const auto labels = isolated_pixels({400, 400});
  constexpr std::int64_t objects = 200 * 200, row_bytes = 128;  // of a row at least
  const auto& about = *find_operator("measure");
  const auto expected = to_csv(compute_table(about, std::array<const_image_view, 1>{labels}));
  for (const std::int64_t memory : {300'000, 100'000'000}) {
    options_.memory = memory;
    turns turn;
    counting_source source(labels, turn);
    const std::array<image_source*, 1> from{&source};
    EXPECT_EQ(to_csv(compute_table_in_pieces(about, from, {}, how_, options_)), expected);
    EXPECT_EQ(report_.scratch_written >= objects * row_bytes, memory < objects * row_bytes);
    std::string parts;
    int count = 0;
    const auto take = [&](const table& rows) {
      write_csv(
          rows, [&](std::string_view text) { parts += text; }, count++ == 0);
    };
    compute_table_in_parts(about, from, take, {}, how_, options_);
    EXPECT_TRUE(parts == expected);
    EXPECT_GT(count, 1);
    EXPECT_TRUE(nothing_is_left());
    reads_of("relabel", {&labels}, {{"order", std::string("size")}, {"min_size", number(1)}});
  }
}

TEST_F(operators_in_pieces, tables_of_few_rows_are_one_part) {
  const auto scenes = wave_scenes({40, 50});
  const image no_pixels(dtype::u32, {0, 50});
  image none(dtype::u32, {40, 50});
  std::ranges::fill(none.pixels<std::uint32_t>(), 0u);
  options_.size = {1, 8, 16};
  for (const auto& [name, pixels] :
       {std::pair{"histogram", &scenes[1].mask}, std::pair{"measure", &std::as_const(none)},
        std::pair{"histogram", &no_pixels}, std::pair{"measure", &no_pixels}}) {
    const auto& about = *find_operator(name);
    turns turn;
    counting_source source(*pixels, turn);
    std::vector<std::string> parts;
    compute_table_in_parts(
        about, std::array<image_source*, 1>{&source},
        [&](const table& rows) { parts.push_back(to_csv(rows)); }, {}, how_, options_);
    EXPECT_EQ(parts, std::vector{to_csv(compute_table(about, std::array<const_image_view, 1>{*pixels}))})
        << name;
  }
}

}  // namespace
}  // namespace macareu::test
