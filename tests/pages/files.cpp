// The files of pages: what is in them, and which content is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <macareu/macareu.hpp>
#include <macareu/page.hpp>

#include "columns.hpp"
#include "model.hpp"
#include "packed.hpp"

namespace macareu {
namespace {

namespace fs = std::filesystem;

bool pages_are_complete() { return missing_for_pages().empty(); }

class scratch_folder {
 public:
  scratch_folder()
      : path_(fs::temp_directory_path() / ("macareu-page-" + std::to_string(std::random_device()()))) {
    fs::create_directories(path_);
  }
  ~scratch_folder() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

image pattern(int rows, int columns, int channels) {
  image made(dtype::u8, extents{rows, columns}, channels);
  auto pixels = made.pixels<std::uint8_t>();
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * i / 7 + i);
  return made;
}

TEST(page_files, base64_is_that_of_rfc_4648) {
  EXPECT_EQ(pages::base64(""), "");
  EXPECT_EQ(pages::base64("f"), "Zg==");
  EXPECT_EQ(pages::base64("fo"), "Zm8=");
  EXPECT_EQ(pages::base64("foobar"), "Zm9vYmFy");
}

TEST(page_files, texts_cannot_end_a_script) {
  EXPECT_EQ(pages::json_string("a\"\\\n</script>"), "\"a\\\"\\\\\\u000a\\u003c/script\\u003e\"");
}

TEST(page_files, numbers_are_short_and_finite) {
  EXPECT_EQ(pages::number_text(0.1), "0.1");
  EXPECT_EQ(pages::number_text(std::numeric_limits<double>::infinity()), "null");
}

TEST(page_files, png_tiles_have_the_pixels_of_the_image) {
  const auto readable = readable_extensions();
  if (std::ranges::find(readable, ".png") == readable.end()) GTEST_SKIP() << "needs libvips to read PNG";
  const scratch_folder folder;
  for (const int channels : {1, 3}) {
    const auto shown = pattern(600, 700, channels);
    const auto source = source_of(shown);
    const page_files page({.title = "", .images = {{"shown", {source.get()}}}});
    const auto tile = page.find("page/data/image-0-0_files/10/1_1.png");
    ASSERT_TRUE(tile);
    std::ofstream(folder / "tile.png", std::ios::binary) << tile->content;
    const auto read = read_image(folder / "tile.png").pixels;
    ASSERT_EQ(read.shape(), (extents{88, 188}));
    ASSERT_EQ(read.channels(), channels);
    for (std::int64_t y = 0; y < 88; ++y)
      for (std::int64_t x = 0; x < 188 * channels; ++x)
        ASSERT_EQ(read.pixels<std::uint8_t>()[static_cast<std::size_t>(y * 188 * channels + x)],
                  shown.pixels<std::uint8_t>()[static_cast<std::size_t>((y + 512) * 700 * channels +
                                                                        512 * channels + x)]);
  }
}

/// Columns become brighter, and nothing is stored. Regions with a column in [first, end) cannot be read.
class ramp final : public image_source {
 public:
  explicit ramp(std::int64_t first = 0, std::int64_t end = 0)
      : form_{.shape = extents{300, 9000}}, first_(first), end_(end) {}
  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return {1, 256, 256}; }
  void read(const image_region& from, void* to) override {
    if (from.first[2] < end_ && from.first[2] + from.size[2] > first_) throw io_error("ramp: is damaged");
    auto* out = static_cast<std::uint8_t*>(to);
    for (std::int64_t y = 0; y < from.size[1]; ++y)
      for (std::int64_t x = 0; x < from.size[2]; ++x)
        *out++ = static_cast<std::uint8_t>((from.first[2] + x) / 36);
  }

 private:
  source_form form_;
  std::int64_t first_, end_;
};

TEST(page_files, overview_of_a_large_image_becomes_exact) {
  ramp shown;
  pages::tile_reader reader(page_image{"ramp", {&shown}});
  ASSERT_EQ(reader.overview_halvings(), 4);
  const pages::tile_place whole{.halvings = 5};
  auto tile = reader.read_scaled(whole);
  EXPECT_EQ(tile.width, 282);
  EXPECT_EQ(tile.height, 10);
  while (reader.refines()) std::this_thread::yield();
  tile = reader.read_scaled(whole);
  for (int x = 0; x < 281; ++x)
    EXPECT_NEAR(tile.pixels[static_cast<std::size_t>(x)], (32 * x + 15.5) / 36, 1.2) << x;
}

TEST(page_files, damaged_cells_of_an_overview_are_grey) {
  // In the first pass and in later ones.
  for (const std::int64_t chunk : {0, 1, 2, 5, 35}) {
    ramp shown(256 * chunk, 256 * (chunk + 1));
    pages::tile_reader reader(page_image{"ramp", {&shown}});
    const pages::tile_place whole{.halvings = 5};
    EXPECT_NO_THROW(reader.read_scaled(whole));
    while (reader.refines()) std::this_thread::yield();
    EXPECT_EQ(reader.failure(), "ramp: is damaged (near x " + std::to_string(256 * chunk) + ", y 0)");
    const auto tile = reader.read_scaled(whole);
    for (int x = 0; x < 281; ++x) {
      const double wanted = x / 8 == chunk ? 128 : (32 * x + 15.5) / 36;
      EXPECT_NEAR(tile.pixels[static_cast<std::size_t>(x)], wanted, 1.2) << chunk << ": " << x;
    }
    EXPECT_THROW(reader.read({.x = chunk / 2}), io_error) << "a page in a folder must be complete";
  }
}

TEST(page_files, overview_fails_only_as_a_whole) {
  ramp shown(0, 9000);
  pages::tile_reader reader(page_image{"ramp", {&shown}});
  EXPECT_THROW(reader.read_scaled({.halvings = 5}), io_error);
  while (reader.refines()) std::this_thread::yield();
  EXPECT_THROW(reader.read_scaled({.halvings = 5}), io_error);
}

TEST(page_files, names_outside_the_page_have_no_file) {
  const auto shown = pattern(600, 700, 1);
  const auto source = source_of(shown);
  const page_files page({.title = "", .images = {{"shown", {source.get()}}}});
  EXPECT_TRUE(page.find("index.html"));
  EXPECT_TRUE(page.find("page/data/meta.js"));
  for (const char* name :
       {"", "page/data/../meta.js", "page/data/image-0-0_files/10/2_0.png",
        "page/data/image-0-0_files/11/0_0.png", "page/data/image-1-0_files/10/0_0.png",
        "page/data/image-0-1_files/10/0_0.png", "page/data/image-0-0_files/10/0_0.jpg",
        "page/data/image-0-0_files/10/-1_0.png", "page/data/objects/0-0-0.js", "page/data/columns/0-0.js",
        "page/data/image-0-0_files/99999999999999999999/0_0.png",
        "page/data/image-0-0_files/10/18014398509481984_0.png",  // times the side of a tile it is -2^63
        "page/data/image-0-0_files/10/0_18014398509481984.png"})
    EXPECT_FALSE(page.find(name)) << name;
}

TEST(page_files, content_that_does_not_fit_is_refused) {
  const auto shown = pattern(60, 70, 1), other = pattern(60, 71, 1);
  const image real(dtype::f32, extents{60, 70});
  const auto a = source_of(shown), b = source_of(other), c = source_of(real);
  const page_image first{"first", {a.get()}};
  const table no_label{{{"area", std::vector<double>{1}}}},
      twice{{{"label", std::vector<std::int64_t>{2, 2}}}};
  const auto refused = [](const page_content& content) {
    EXPECT_THROW(page_files page(content), usage_error);
  };
  refused({});
  refused({.title = "", .images = {first, {"second", {b.get()}}}});
  refused({.title = "", .images = {first}, .labels = {"labels", {b.get()}}});
  refused({.title = "", .images = {first}, .labels = {"labels", {c.get()}}});
  refused({.title = "", .images = {first}, .objects = &twice});
  refused({.title = "", .images = {first}, .labels = {"labels", {a.get()}}, .objects = &no_label});
  refused({.title = "", .images = {first}, .labels = {"labels", {a.get()}}, .objects = &twice});
}

TEST(page_files, description_quotes_texts_of_files) {
  const auto shown = pattern(60, 70, 1);
  const auto source = source_of(shown);
  const page_files page({.title = "a",
                         .images = {{"</script>", {source.get()}}},
                         .outline = "not JSON \"",
                         .summary = "{\"nuclei\": 3}",
                         .pixel_size = std::array{0.5, 0.25}});
  const auto meta = page.find("page/data/meta.js")->content;
  EXPECT_NE(meta.find("\"pixelSize\":[0.5,0.25]"), std::string::npos);
  EXPECT_NE(meta.find("\"summary\":\"{\\\"nuclei\\\": 3}\""), std::string::npos);
  EXPECT_NE(meta.find("\"outline\":\"not JSON \\\"\""), std::string::npos);
  EXPECT_EQ(meta.find("</script>"), std::string::npos);
}

TEST(page_files, rows_are_found_by_label) {
  const table objects{{{"label", std::vector<std::int64_t>{7, 3, 9}}}};
  const pages::row_index rows(objects);
  EXPECT_EQ(rows[3], 1u);
  EXPECT_EQ(rows[9], 2u);
  EXPECT_EQ(rows[1], std::nullopt);
}

TEST(page_files, folder_is_replaced_only_if_it_is_a_page) {
  if (!pages_are_complete()) GTEST_SKIP() << "this build has no OpenSeadragon";
  const scratch_folder folder;
  const auto shown = pattern(60, 70, 1);
  const auto source = source_of(shown);
  const page_content content{.title = "shown", .images = {{"shown", {source.get()}}}};
  write_page(folder / "out", content);
  write_page(folder / "out", content);
  EXPECT_TRUE(fs::exists(folder / "out/index.html"));
  EXPECT_TRUE(fs::exists(folder / "out/page/openseadragon-license.txt"));
  fs::create_directories(folder / "other/page");
  std::ofstream(folder / "other/page/thesis.tex") << "years of work";
  EXPECT_THROW(write_page(folder / "other", content), io_error);
  EXPECT_TRUE(fs::exists(folder / "other/page/thesis.tex"));
}

TEST(page_files, are_the_same_for_any_number_of_threads) {
  if (!pages_are_complete()) GTEST_SKIP() << "this build has no OpenSeadragon";
  const scratch_folder folder;
  const auto shown = pattern(2100, 2600, 3);
  image objects(dtype::u32, {2100, 2600});
  auto* label = objects.pixels<std::uint32_t>().data();
  for (std::uint32_t y = 0; y < 2100; ++y)
    for (std::uint32_t x = 0; x < 2600; ++x)
      *label++ = y % 20 < 9 && x % 30 < 11 ? y / 20 * 87 + x / 30 + 1 : 0;  // rectangles
  const auto source = source_of(shown), labels = source_of(objects);
  const page_content content{
      .title = "shown", .images = {{"shown", {source.get()}}}, .labels = {"objects", {labels.get()}}};
  const auto files_of = [&](int threads) {
    const auto to = folder / std::to_string(threads).c_str();
    write_page(to, content, {.threads = threads});
    std::map<std::string, std::string> files;
    for (const auto& each : fs::recursive_directory_iterator(to))
      if (each.is_regular_file()) {
        std::ifstream file(each.path(), std::ios::binary);
        files[fs::relative(each.path(), to).string()].assign(std::istreambuf_iterator<char>(file), {});
      }
    return files;
  };
  const auto expected = files_of(1);
  EXPECT_GT(expected.size(), 40u);
  for (const int threads : {2, 5}) EXPECT_TRUE(files_of(threads) == expected) << threads;
}

TEST(page_files, one_text_holds_everything) {
  if (!pages_are_complete()) GTEST_SKIP() << "this build has no OpenSeadragon";
  const auto shown = pattern(60, 70, 1);
  const auto source = source_of(shown);
  const auto text = page_text({.title = "</script>", .images = {{"shown", {source.get()}}}});
  EXPECT_EQ(text.find("src=\"page/"), std::string::npos);
  EXPECT_EQ(text.find("href=\"page/"), std::string::npos);
  EXPECT_NE(text.find("macareu.takeImage("), std::string::npos);
  EXPECT_NE(text.find("Redistributions in binary form must reproduce"), std::string::npos);
  EXPECT_EQ(text.find("\"title\":\"</script>"), std::string::npos);
}

}  // namespace
}  // namespace macareu
