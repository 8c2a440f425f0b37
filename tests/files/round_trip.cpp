// What is written is read back, in every format that can hold it; and the others say which can.
#include "support.hpp"

namespace macareu::test {
namespace {

const extents shapes[] = {{5, 7}, {1, 9}, {9, 1}, {3, 5, 7}, {1, 1, 1}};

void round_trip(const std::string& extension, const image& pixels, std::uint8_t truth) {
  SCOPED_TRACE(extension + " " + std::string(name_of(pixels.type())) + " " + to_string(pixels.shape()) +
               " x " + std::to_string(pixels.channels()));
  const auto file = fresh("round-trip" + extension);
  write_image(file, pixels);
  read_options options{.channels_last = pixels.channels() > 1};
  if (extension == ".raw") options.raw = raw_layout{.type = pixels.type(), .shape = pixels.shape()};
  const bool has_bool = extension == ".npy" || extension == ".raw";
  expect_same(read_image(file, options).pixels, has_bool ? copy_of(pixels) : without_bool(pixels, truth));
}

TEST(round_trip, array_formats_hold_every_type_rank_and_channel_count) {
  for (const std::string extension : {".npy", ".nrrd", ".mha"})
    for (const auto type : all_types)
      for (const auto& shape : shapes)
        for (const int channels : {1, 2, 3, 4, 5}) round_trip(extension, sample(type, shape, channels), 1);
}

TEST(round_trip, raw_holds_every_type_and_rank) {
  for (const auto type : all_types)
    for (const auto& shape : shapes) round_trip(".raw", sample(type, shape), 1);
}

TEST(round_trip, maps_hold_8_and_16_bits) {
  for (const auto type : {dtype::boolean, dtype::u8, dtype::u16}) {
    round_trip(".pgm", sample(type, {5, 7}), 255);
    round_trip(".ppm", sample(type, {5, 7}, 3), 255);
    round_trip(".pnm", sample(type, {5, 7}), 255);
    round_trip(".pnm", sample(type, {5, 7}, 3), 255);
    round_trip(".pgm", sample(type, {3, 5, 7}), 255);
    round_trip(".ppm", sample(type, {2, 5, 7}, 3), 255);
  }
}

/// Several threads read such a file. Their parts meet inside of rows.
TEST(round_trip, large_files) {
  image pixels(dtype::u32, {4099, 4201});
  const auto values = pixels.pixels<std::uint32_t>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761U);
  const auto file = fresh("large.npy");
  write_image(file, pixels);
  EXPECT_TRUE(same_bits(read_image(file).pixels, pixels));
}

TEST(round_trip, empty_images) {
  for (const std::string extension : {".npy", ".raw"})
    for (const extents& shape : {extents{0, 5}, extents{5, 0}, extents{3, 0, 2}})
      round_trip(extension, sample(dtype::u16, shape), 1);
  for (const std::string extension : {".pgm", ".nrrd", ".mha"}) {
    const auto message = message_of<usage_error>([&] {
      write_image(directory() / ("empty" + extension), image(dtype::u8, {0, 5}));
    });
    EXPECT_TRUE(contains(message, ".npy")) << message;
  }
}

TEST(round_trip, views_with_gaps_and_swapped_axes) {
  auto whole = sample(dtype::u16, {6, 10}, 3);
  const image_view all = whole;
  const auto step = all.steps();
  const const_image_view views[] = {
      {whole.pixels<std::uint16_t>().data() + 3, dtype::u16, {3, 5}, {2 * step[0], 2 * step[1], 0}, 3, 1},
      {whole.data(), dtype::u16, {10, 6}, {step[1], step[0], 0}, 3, 1},
      {whole.pixels<std::uint16_t>().data() + 2, dtype::u16, {6, 10}, step, 3, -1},
      all.channel(1),
  };
  for (const auto& view : views)
    for (const std::string extension : {".npy", ".nrrd", ".pnm"}) {
      const auto file = directory() / ("view" + extension);
      write_image(file, view);
      expect_same(read_image(file, {.channels_last = view.channels() > 1}).pixels, copy_of(view));
    }
}

TEST(round_trip, rows_larger_than_a_buffer) {
  auto whole = sample(dtype::u16, {3, 700'000});
  const image_view all = whole;
  const const_image_view half(whole.data(), dtype::u16, {3, 699'999}, all.steps());
  for (const std::string extension : {".npy", ".pgm"}) {
    write_image(directory() / ("wide" + extension), half);
    expect_same(read_image(directory() / ("wide" + extension)).pixels, copy_of(half));
  }
}

TEST(round_trip, spacing) {
  for (const std::string name : {"spacing.nrrd", "spacing.mha"})
    for (const int channels : {1, 3}) {
      write_image(directory() / name, sample(dtype::u8, {2, 3, 4}, channels), {{{2.5, 0.1, 1e-7}}});
      const auto volume = read_image(directory() / name).info.spacing;
      ASSERT_TRUE(volume);
      EXPECT_EQ(*volume, (std::array{2.5, 0.1, 1e-7}));
      write_image(directory() / name, sample(dtype::u8, {3, 4}, channels), {{{0.25, 0.5, 0}}});
      const auto flat = read_image(directory() / name).info.spacing;
      ASSERT_TRUE(flat);
      EXPECT_EQ((*flat)[0], 0.25);
      EXPECT_EQ((*flat)[1], 0.5);
      write_image(directory() / name, sample(dtype::u8, {3, 4}, channels));
      EXPECT_FALSE(read_image(directory() / name).info.spacing);
    }
}

TEST(round_trip, extensions_in_any_case) {
  const auto pixels = sample(dtype::u8, {2, 3});
  write_image(directory() / "upper.PGM", pixels);
  expect_same(read_image(directory() / "upper.PGM").pixels, pixels);
}

TEST(round_trip, what_does_not_fit_is_refused_with_a_format_that_holds_it) {
  const struct {
    std::string file;
    image pixels;
    std::string reason;
    std::string instead;
  } cases[] = {
      {"no.pgm", image(dtype::f32, {2, 2}), "f32", ".npy"},
      {"no.pgm", image(dtype::u32, {2, 2}), "u32", ".npy"},
      {"no.pgm", image(dtype::u8, {2, 2}, 3), "3 channels", ".ppm"},
      {"no.ppm", image(dtype::u8, {2, 2}), "1 channel", ".pgm"},
      {"no.ppm", image(dtype::f32, {2, 2, 2}, 3), "f32", ".npy"},
      {"no.pnm", image(dtype::u8, {2, 2}, 40), "40 channels", ".npy"},
  };
  for (const auto& c : cases) {
    const auto file = directory() / c.file;
    const auto message = message_of<usage_error>([&] { write_image(file, c.pixels); });
    for (const auto& part : {file.string(), c.reason, c.instead})
      EXPECT_TRUE(contains(message, part)) << message;
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  for (const std::string name : {"no.xyz", "no", "no.nhdr"}) {
    const auto message = message_of<usage_error>([&] {
      write_image(directory() / name, image(dtype::u8, {2, 2}));
    });
    EXPECT_TRUE(contains(message, ".npy")) << message;
  }
}

TEST(round_trip, writing_fails_with_the_reason_of_the_system) {
  const image pixels = sample(dtype::u8, {200, 300});
  const auto missing = directory() / "missing" / "a.npy";
  const auto message = message_of<io_error>([&] { write_image(missing, pixels); });
  EXPECT_EQ(message, missing.string() + ": No such file or directory");
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full to stand for a full disk";
  EXPECT_EQ(message_of<io_error>([&] { write_image("/dev/full", pixels); }),
            "/dev/full: No space left on device");
}

}  // namespace
}  // namespace macareu::test
