// TIFF files in tiles, pyramids and slides by regions.
#include <cstring>

#include "regions.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

class tiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_vips()) GTEST_SKIP() << "no libvips";
  }
  fs::path at(const std::string& name) { return directory() / name; }
  fs::path pyramid(const image& pixels, bool labels = false, const metadata& info = {}) {
    const auto file = fresh("pyramid.tif");
    const auto sink = create_sink(file, form_of(pixels, info), {.pyramid = true, .labels = labels});
    write_pieces(*sink, pixels, {1, 200, 300});
    sink->commit();
    return file;
  }
};

TEST_F(tiles, pyramids_of_all_types_that_tiff_holds) {
  for (const auto type :
       {dtype::boolean, dtype::i8, dtype::u8, dtype::i16, dtype::u16, dtype::i32, dtype::u32, dtype::f32})
    for (const int channels : {1, 3}) {
      const auto pixels = sample(type, {300, 530}, channels);
      const auto file = pyramid(pixels);
      expect_like_read_image(file);
      const auto source = open_source(file, {}, "/missing");
      EXPECT_EQ(source->chunk(), (std::array<std::int64_t, 3>{1, 256, 256}));
      expect_regions(*source, without_bool(pixels, 255));
    }
}

TEST_F(tiles, levels) {
  const auto pixels = sample(dtype::u32, {600, 530});
  const auto file = pyramid(pixels, true);
  for (const int level : {0, 1, 2}) expect_like_read_image(file, {.level = level});
  const auto half = read_image(file, {.level = 1}).pixels;
  ASSERT_EQ(to_string(half.shape()), "300 x 265");
  for (const std::int64_t y : {0, 7, 299})
    for (const std::int64_t x : {0, 100, 264}) {
      const auto value = half.pixels<std::uint32_t>()[static_cast<std::size_t>(y * 265 + x)];
      EXPECT_EQ(value, pixels.pixels<std::uint32_t>()[static_cast<std::size_t>(2 * y * 530 + 2 * x)]);
    }
  for (const int level : {-1, 3})
    EXPECT_TRUE(
        contains(message_of<io_error>([&] { open_source(file, {.level = level}); }), "levels are 0 to 2"));
  write_image(fresh("plain.png"), sample(dtype::u8, {3, 4}));
  write_image(fresh("plain.npy"), sample(dtype::u8, {3, 4}));
  for (const std::string name : {"plain.png", "plain.npy"}) {
    const auto refusal = at(name).string() + ": there is no level 1: the file has one, 0";
    EXPECT_EQ(message_of<io_error>([&] { open_source(at(name), {.level = 1}); }), refusal);
    EXPECT_EQ(message_of<io_error>([&] { read_image(at(name), {.level = 1}); }), refusal);
  }
}

TEST_F(tiles, levels_of_grey_pictures_are_means) {
  image pixels(dtype::u8, {300, 600});
  for (std::size_t i = 0; i < pixels.bytes(); ++i) pixels.pixels<std::uint8_t>()[i] = i % 2 == 0 ? 10 : 30;
  const auto half = read_image(pyramid(pixels), {.level = 1}).pixels;
  EXPECT_EQ(values<std::uint8_t>(half), std::vector<std::uint8_t>(150 * 300, 20));
}

TEST_F(tiles, the_size_of_pixels_is_kept) {
  const auto close = [](const metadata& info, double y, double x) {
    ASSERT_TRUE(info.spacing);
    EXPECT_NEAR((*info.spacing)[0], y, y * 1e-6);
    EXPECT_NEAR((*info.spacing)[1], x, x * 1e-6);
  };
  const auto pixels = sample(dtype::u8, {300, 530});
  const metadata info{{{0.0005, 0.25, 1}}};
  const auto file = pyramid(pixels, false, info);
  close(open_source(file)->form().info, 0.0005, 0.25);
  close(read_image(file).info, 0.0005, 0.25);
  write_image(fresh("strips.tif"), pixels, info);
  close(open_source(at("strips.tif"), {}, directory())->form().info, 0.0005, 0.25);
  EXPECT_FALSE(open_source(pyramid(pixels))->form().info.spacing);
}

TEST_F(tiles, pyramids_are_for_images_in_tiff) {
  const auto refused = [&](const std::string& name, const extents& shape) {
    const auto message = message_of<usage_error>([&] {
      create_sink(fresh(name), {dtype::u8, shape}, {.pyramid = true});
    });
    EXPECT_TRUE(contains(message, "a pyramid")) << message;
  };
  refused("no.png", {4, 5});
  refused("no.npy", {4, 5});
  refused("no.tif", {3, 4, 5});
}

TEST_F(tiles, damaged_files_give_one_line) {
  const auto pixels = sample(dtype::u16, {300, 530});
  const auto bytes = load(pyramid(pixels));
  for (const double share : {0.1, 0.5, 0.9, 0.999}) {
    const auto file =
        save("cut.tif", bytes.substr(0, static_cast<std::size_t>(share * static_cast<double>(bytes.size()))));
    const auto message = message_of<io_error>([&] {
      const auto source = open_source(file, {}, directory());
      read_region(*source, all_of(source->form().shape));
    });
    EXPECT_TRUE(message.starts_with(file.string() + ": ")) << message;
  }
  // Errors or other pixels, but no crash.
  for (std::size_t position = 0; position < 400; position += 7) {
    auto damaged = bytes;
    damaged[damaged.size() - 1 - position] ^= 0x41;
    const auto file = save("damaged.tif", damaged);
    try {
      const auto source = open_source(file, {}, directory());
      const auto& shape = source->form().shape;
      if (shape.pixels() < 1'000'000) read_region(*source, all_of(shape));
    } catch (const io_error&) {
    }
  }
}

TEST_F(tiles, a_file_that_changes_is_an_error) {
  const auto pixels = sample(dtype::u16, {300, 530});
  const auto file = pyramid(pixels);
  const auto source = open_source(file);
  fs::resize_file(file, 5000);
  EXPECT_TRUE(contains(message_of<io_error>([&] {
                         read_region(*source, {{}, {1, 10, 10}});
                       }),
                       "changed while it was read"));
  // Tiles of an open file are dropped by opening it again, which finds another file.
  const auto other = open_source(pyramid(pixels));
  write_image(fresh("other.tif"), pixels);
  fs::rename(at("other.tif"), file);
  const auto read_on = [&] {
    for (int i = 0; i < 30; ++i) read_region(*other, all_of(pixels.shape()));
  };
  EXPECT_TRUE(contains(message_of<io_error>(read_on), "changed while it was read"));
}

/// Little-endian TIFF with tiles of 32 x 32 RGB pixels in each level, as Aperio's scanners make it. libtiff
/// 4.5 needs tiles of whole KiB.
std::string slide(std::initializer_list<const image*> levels) {
  std::string bytes;
  const auto number = [&](std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
  };
  bytes = "II";
  number(42, 2);
  std::size_t link = bytes.size();
  number(0, 4);
  const auto patch = [&](std::size_t where, std::uint64_t value) {
    for (std::size_t i = 0; i < 4; ++i) bytes[where + i] = static_cast<char>(value >> (8 * i) & 255);
  };
  const std::string about = "Aperio Image Library v1\r\ntest|MPP = 0.5|AppMag = 20";
  for (const auto* level : levels) {
    const auto& pixels = *level;
    const auto height = pixels.shape().height(), width = pixels.shape().width();
    std::vector<std::uint64_t> offsets;
    for (std::int64_t y = 0; y < height; y += 32)
      for (std::int64_t x = 0; x < width; x += 32) {
        offsets.push_back(bytes.size());
        for (std::int64_t j = y; j < y + 32; ++j)
          for (std::int64_t i = x; i < x + 32; ++i)
            for (int c = 0; c < 3; ++c)
              bytes +=
                  j < height && i < width
                      ? static_cast<char>(
                            pixels.pixels<std::uint8_t>()[static_cast<std::size_t>((j * width + i) * 3 + c)])
                      : '\0';
      }
    const auto place = [&](const auto& write) {
      const auto start = bytes.size();
      write();
      return start;
    };
    const auto text = place([&] { bytes += about + std::string(1, '\0'); });
    const auto bits = place([&] {
      for (int i = 0; i < 3; ++i) number(8, 2);
    });
    if (bytes.size() % 2 == 1) bytes += '\0';
    const auto offset_list = place([&] {
      for (const auto offset : offsets) number(offset, 4);
    });
    const auto count_list = place([&] {
      for (std::size_t i = 0; i < offsets.size(); ++i) number(32 * 32 * 3, 4);
    });
    patch(link, bytes.size());
    const struct {
      std::uint64_t tag, type, count, value;
    } entries[] = {{256, 4, 1, static_cast<std::uint64_t>(width)},
                   {257, 4, 1, static_cast<std::uint64_t>(height)},
                   {258, 3, 3, bits},
                   {259, 3, 1, 1},
                   {262, 3, 1, 2},
                   {270, 2, about.size() + 1, text},
                   {277, 3, 1, 3},
                   {284, 3, 1, 1},
                   {322, 3, 1, 32},
                   {323, 3, 1, 32},
                   {324, 4, offsets.size(), offset_list},
                   {325, 4, offsets.size(), count_list}};
    number(std::size(entries), 2);
    for (const auto& [tag, type, count, value] : entries) {
      number(tag, 2);
      number(type, 2);
      number(count, 4);
      number(value, 4);
    }
    link = bytes.size();
    number(0, 4);
  }
  return bytes;
}

TEST_F(tiles, slides) {
  const auto large = sample(dtype::u8, {96, 128}, 3), small = sample(dtype::u8, {48, 64}, 3);
  const auto file = save("slide.svs", slide({&large, &small}));
  const auto source = open_source(file, {}, "/missing");
  if (!source->form().info.spacing) GTEST_SKIP() << "libvips without OpenSlide";
  EXPECT_EQ(source->chunk(), (std::array<std::int64_t, 3>{1, 32, 32}));
  EXPECT_NEAR((*source->form().info.spacing)[0], 0.0005, 1e-12);
  expect_regions(*source, large);
  expect_like_read_image(file);
  const auto half = open_source(file, {.level = 1});
  EXPECT_NEAR((*half->form().info.spacing)[0], 0.001, 1e-12);
  expect_regions(*half, small);
  expect_like_read_image(file, {.level = 1});
  EXPECT_TRUE(contains(message_of<io_error>([&] { open_source(file, {.level = 2}); }), "levels are 0 to 1"));
}

}  // namespace
}  // namespace macareu::test
