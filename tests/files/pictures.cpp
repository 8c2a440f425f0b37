// Pictures through libvips.
#include <cmath>
#include <thread>

#include "support.hpp"

namespace macareu::test {
namespace {

class pictures : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_vips()) GTEST_SKIP() << "this build has no libvips";
  }
  void round_trip(const std::string& name, const image& pixels) {
    SCOPED_TRACE(name + " " + std::string(name_of(pixels.type())) + " " + to_string(pixels.shape()) + " x " +
                 std::to_string(pixels.channels()));
    write_image(fresh(name), pixels);
    expect_same(read_image(directory() / name).pixels, without_bool(pixels, 255));
  }
};

TEST_F(pictures, png_holds_8_and_16_bits_in_up_to_4_channels) {
  for (const auto type : {dtype::boolean, dtype::u8, dtype::u16})
    for (const int channels : {1, 2, 3, 4}) round_trip("a.png", sample(type, {5, 7}, channels));
}

TEST_F(pictures, tiff_holds_all_but_64_bits) {
  for (const auto type : all_types)
    for (const int channels : {1, 2, 3, 4, 5})
      for (const extents& shape : {extents{5, 7}, extents{3, 5, 7}}) {
        if (size_of(type) == 8) continue;
        round_trip("a.tif", sample(type, shape, channels));
      }
}

TEST_F(pictures, may_be_the_first_of_several_threads) {
  const auto pixels = sample(dtype::u8, {5, 7});
  std::vector<image> read(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < read.size(); ++i)
      threads.emplace_back([&, i, file = fresh(std::to_string(i) + ".png")] {
        write_image(file, pixels);
        read[i] = read_image(file).pixels;
      });
  }
  for (const auto& each : read) expect_same(each, pixels);
}

struct page {
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t samples;
  std::string pixels;
};

/// A little-endian TIFF of 8-bit pages, min-is-black, one strip each.
std::string tiff(const std::vector<page>& pages) {
  const auto number = [](std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
    return text;
  };
  std::string file = "II" + number(42, 2);
  for (const auto& [width, height, samples, pixels] : pages) {
    const auto pixels_at = static_cast<std::uint32_t>(file.size()) + 4;
    file += number(pixels_at + static_cast<std::uint32_t>(pixels.size()), 4) + pixels;
    // A count of one fits where the offset of several would be; 8 bits are the same for all samples.
    const std::pair<std::uint32_t, std::uint32_t> tags[] = {
        {256, width},   {257, height}, {258, 8},
        {259, 1},       {262, 1},      {273, pixels_at},
        {277, samples}, {278, height}, {279, width * height * samples}};
    file += number(std::size(tags), 2);
    for (const auto& [tag, value] : tags)
      file += number(tag, 2) + number(4, 2) + number(1, 4) + number(value, 4);
  }
  return file + number(0, 4);
}

TEST_F(pictures, equal_pages_are_a_volume_and_others_the_levels_of_a_pyramid) {
  const auto volume =
      read_image(save("v.tif", tiff({{2, 1, 1, "ab"}, {2, 1, 1, "cd"}, {2, 1, 1, "ef"}}))).pixels;
  EXPECT_EQ(volume.shape(), (extents{3, 1, 2}));
  EXPECT_EQ(values<std::uint8_t>(volume), (std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f'}));
  const auto pyramid = read_image(save("p.tif", tiff({{2, 2, 1, "abcd"}, {1, 1, 1, "e"}}))).pixels;
  EXPECT_EQ(pyramid.shape(), (extents{2, 2}));
  EXPECT_EQ(values<std::uint8_t>(pyramid), (std::vector<std::uint8_t>{'a', 'b', 'c', 'd'}));
}

TEST_F(pictures, three_equal_channels_tagged_grey_are_one) {
  EXPECT_EQ(read_image(save("g.tif", tiff({{2, 1, 3, "aaabbb"}}))).pixels.channels(), 1);
  EXPECT_EQ(read_image(save("g.tif", tiff({{2, 1, 3, "aaabbc"}}))).pixels.channels(), 3);
}

TEST_F(pictures, a_tiff_that_lost_pages_is_refused) {
  const auto good = tiff({{2, 1, 1, "ab"}, {2, 1, 1, "cd"}, {2, 1, 1, "ef"}});
  for (auto size = good.size() - 1; size > 130; size -= 7) {
    const auto file = save("short.tif", good.substr(0, size));
    const auto message = message_of<io_error>([&] { read_image(file); });
    EXPECT_TRUE(message.starts_with(file.string() + ": byte ")) << message;
  }
  auto loop = good;
  loop.replace(good.size() - 4, 4, good.substr(4, 4));
  EXPECT_TRUE(contains(message_of<io_error>([&] { read_image(save("loop.tif", loop)); }), "loop"));
}

TEST_F(pictures, large_tiff_is_tiled) {
  const auto pixels = sample(dtype::u8, {4100, 4101});
  round_trip("large.tif", pixels);
  // Tag 322, the width of a tile.
  EXPECT_TRUE(contains(load(directory() / "large.tif"), from_hex("42 01 03 00 01 00 00 00 00 01")));
  std::filesystem::remove(directory() / "large.tif");
}

TEST_F(pictures, views_with_gaps) {
  auto whole = sample(dtype::u16, {6, 10}, 3);
  const image_view all = whole;
  const auto view = all.channel(1);
  write_image(directory() / "view.png", view);
  expect_same(read_image(directory() / "view.png").pixels, copy_of(view));
}

TEST_F(pictures, jpeg_is_close) {
  image pixels(dtype::u8, {32, 48}, 3);
  auto* next = pixels.pixels<std::uint8_t>().data();
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 48; ++x)
      for (int c = 0; c < 3; ++c) *next++ = static_cast<std::uint8_t>(60 + 2 * x + 3 * y);
  const image_view colour = pixels;
  for (const const_image_view& view : {const_image_view(colour), const_image_view(colour.channel(0))}) {
    write_image(directory() / "a.jpg", view);
    const auto got = read_image(directory() / "a.jpg").pixels;
    const auto expected = copy_of(view);
    ASSERT_EQ(got.shape(), expected.shape());
    ASSERT_EQ(got.channels(), expected.channels());
    for (std::size_t i = 0; i < got.bytes(); ++i)
      ASSERT_NEAR(got.pixels<std::uint8_t>()[i], expected.pixels<std::uint8_t>()[i], 4) << i;
  }
}

TEST_F(pictures, a_changed_file_is_read_anew) {
  for (const std::string name : {"again.png", "again.tif"})
    for (const auto type : {dtype::u8, dtype::u16, dtype::u8}) round_trip(name, sample(type, {4, 4}));
}

TEST_F(pictures, an_opaque_alpha_of_a_grey_picture_is_dropped) {
  auto pixels = sample(dtype::u16, {3, 4}, 2);
  const image_view both = pixels;
  for (std::size_t i = 1; i < 24; i += 2) pixels.pixels<std::uint16_t>()[i] = 65535;
  write_image(directory() / "alpha.png", pixels);
  expect_same(read_image(directory() / "alpha.png").pixels, copy_of(both.channel(0)));
  pixels.pixels<std::uint16_t>()[7] = 65534;
  round_trip("alpha.png", pixels);
}

TEST_F(pictures, what_does_not_fit_names_formats_that_hold_it) {
  const struct {
    std::string name;
    image pixels;
    bool fits_tiff;
  } cases[] = {
      {"no.png", image(dtype::f32, {2, 2}), true},   {"no.png", image(dtype::i32, {2, 2}), true},
      {"no.png", image(dtype::u32, {2, 2}), true},   {"no.jpg", image(dtype::u16, {2, 2}), true},
      {"no.jpeg", image(dtype::f64, {2, 2}), false}, {"no.jpg", image(dtype::u8, {2, 2}, 4), true},
      {"no.png", image(dtype::u8, {2, 2, 2}), true}, {"no.png", image(dtype::u64, {2, 2}), false},
      {"no.tif", image(dtype::i64, {2, 2}), false},  {"no.tiff", image(dtype::u64, {2, 2}), false},
      {"no.tif", image(dtype::u8, {0, 2}), false},
  };
  for (const auto& c : cases) {
    const auto message = message_of<usage_error>([&] { write_image(directory() / c.name, c.pixels); });
    EXPECT_TRUE(contains(message, ".npy")) << message;
    EXPECT_EQ(contains(message, ".tif and .npy can"), c.fits_tiff) << message;
    EXPECT_FALSE(std::filesystem::exists(directory() / c.name));
  }
}

TEST_F(pictures, damaged_files_give_one_line) {
  write_image(directory() / "good.png", sample(dtype::u8, {64, 64}));
  write_image(directory() / "good.tif", sample(dtype::u16, {4, 32, 32}));
  write_image(directory() / "good.jpg", sample(dtype::u8, {64, 64}));
  for (const std::string extension : {".png", ".tif", ".jpg"}) {
    const auto bytes = load(directory() / ("good" + extension));
    for (const auto& broken :
         {bytes.substr(0, bytes.size() / 2), bytes.substr(0, 20), std::string(), std::string("text")}) {
      const auto file = save("bad" + extension, broken);
      testing::internal::CaptureStderr();
      const auto message = message_of<io_error>([&] { read_image(file); });
      EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
      EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
    }
  }
}

TEST_F(pictures, more_than_the_format_holds_is_an_io_error) {
  const image line(dtype::u8, {1, 70'000});
  const auto file = directory() / "long.jpg";
  EXPECT_TRUE(message_of<io_error>([&] { write_image(file, line); }).starts_with(file.string() + ": "));
  const image tower(dtype::boolean, {3'000, 4'000, 1});
  EXPECT_TRUE(contains(message_of<io_error>([&] { write_image(directory() / "tower.tif", tower); }), ".npy"));
}

TEST_F(pictures, outputs_are_renamed_like_others) {
  output_files outputs;
  const auto pixels = sample(dtype::u16, {4, 5});
  for (const std::string name : {"out.png", "out.tif"}) {
    const auto file = fresh(name);
    outputs.add(file, pixels);
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  outputs.commit();
  for (const std::string name : {"out.png", "out.tif"})
    expect_same(read_image(directory() / name).pixels, pixels);
  const auto missing = directory() / "missing" / "a.png";
  EXPECT_EQ(message_of<io_error>([&] { outputs.add(missing, pixels); }),
            missing.string() + ": No such file or directory");
}

}  // namespace
}  // namespace macareu::test
