// Any region of any file equals the same part of the image that read_image gives.
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "regions.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

const extents shapes[] = {{9, 13}, {1, 5}, {6, 1}, {4, 5, 7}, {1, 1, 1}};

read_options options_for(const std::string& extension, const image& pixels) {
  read_options options{.channels_last = pixels.channels() > 1};
  if (extension == ".raw") options.raw = raw_layout{.type = pixels.type(), .shape = pixels.shape()};
  return options;
}

TEST(sources, arrays_of_every_type_rank_and_channel_count) {
  for (const std::string extension : {".npy", ".nrrd", ".mha", ".raw"})
    for (const auto type : all_types)
      for (const auto& shape : shapes)
        for (const int channels : {1, 3}) {
          if (extension == ".raw" && channels > 1) continue;
          const auto pixels = sample(type, shape, channels);
          const auto file = fresh("source" + extension);
          write_image(file, pixels, {{{2, 0.5, 0.25}}});
          expect_like_read_image(file, options_for(extension, pixels));
        }
}

TEST(sources, empty_images) {
  for (const extents& shape : {extents{0, 5}, extents{5, 0}, extents{3, 0, 2}}) {
    const auto file = fresh("empty.npy");
    write_image(file, sample(dtype::u16, shape));
    expect_like_read_image(file);
  }
}

TEST(sources, byte_orders_and_orders_of_axes) {
  const auto npy = [](const std::string& descr, bool fortran, const std::string& shape) {
    auto text = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
                ", 'shape': (" + shape + "), }";
    text.resize(117, ' ');
    std::string bytes = "\x93NUMPY";
    bytes += std::string("\1\0\x76\0", 4) + text + "\n";
    for (int i = 0; i < 4 * 6 * 5 * 3 * 2; ++i) bytes += static_cast<char>(i * 37 + i / 7);
    return bytes;
  };
  for (const std::string descr : {"<u2", ">u2", ">i4", "|b1", "|u1"})
    for (const bool fortran : {false, true}) {
      for (const std::string shape : {"12, 15", "4, 5, 6", "12, 1", "1, 15"})
        expect_like_read_image(save("order.npy", npy(descr, fortran, shape)));
      for (const std::string shape : {"12, 5, 3", "2, 5, 6, 3"})
        expect_like_read_image(save("order.npy", npy(descr, fortran, shape)), {.channels_last = true});
    }
  std::string raster;
  for (int i = 0; i < 240; ++i) raster += static_cast<char>(i * 91);
  for (const std::string kinds : {"domain domain RGB-color", "RGB-color domain domain"})
    for (const std::string endian : {"big", "little"}) {
      const auto sizes = kinds.starts_with("RGB") ? "3 8 5" : "8 5 3";
      expect_like_read_image(save(
          "order.nrrd", "NRRD0004\ntype: ushort\ndimension: 3\nsizes: " + std::string(sizes) +
                            "\nkinds: " + kinds + "\nendian: " + endian + "\nencoding: raw\n\n" + raster));
    }
  const auto raw = save("order.raw", raster);
  for (const auto order : {raw_layout::byte_order::little, raw_layout::byte_order::big})
    expect_like_read_image(
        raw, {.raw = raw_layout{.type = dtype::i32, .shape = {5, 7}, .offset = 13, .order = order}});
}

TEST(sources, detached_pixels) {
  std::string raster;
  for (int i = 0; i < 100; ++i) raster += static_cast<char>(i * 91);
  save("detached.bin", raster);
  const std::string nrrd = "NRRD0004\ntype: short\ndimension: 2\nsizes: 5 7\nendian: big\nencoding: raw\n";
  expect_like_read_image(save("detached.nhdr", nrrd + "data file: detached.bin\nbyte skip: 9\n"));
  expect_like_read_image(save("detached.nhdr", nrrd + "data file: detached.bin\nbyte skip: -1\n"));
  expect_like_read_image(save("detached.mhd",
                              "NDims = 2\nDimSize = 5 7\nHeaderSize = 3\nElementSpacing = 2 3\n"
                              "ElementType = MET_SHORT\nElementDataFile = detached.bin\n"));
}

TEST(sources, text_and_several_slices) {
  const std::string ascii = "NRRD0004\ntype: int16\ndimension: 2\nsizes: 3 2\nencoding: ascii\n\n";
  expect_like_read_image(save("text.nrrd", ascii + "1 -2 3 4 5 -600\n"));
  expect_like_read_image(save("text.pgm", "P2 3 2 255 1 2 3 4 5 6\n"));
  expect_like_read_image(save("text.csv", "1,2,3\n4,5.5,6\n"));
  for (const auto type : {dtype::boolean, dtype::u8, dtype::u16}) {
    write_image(fresh("grey.pgm"), sample(type, {7, 9}));
    expect_like_read_image(directory() / "grey.pgm");
    write_image(fresh("slices.ppm"), sample(type, {3, 7, 9}, 3));
    expect_like_read_image(directory() / "slices.ppm");
  }
}

TEST(sources, compressed_pixels) {
  const auto file = save("compressed.nrrd",
                         "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 6 2\nencoding: gzip\n\n" +
                             from_hex("1f8b08000000000002036364606260666060fcff9f8101007246f7370c000000"));
  try {
    read_image(file);
  } catch (const io_error& error) {
    GTEST_SKIP() << error.what();
  }
  expect_like_read_image(file);
}

TEST(sources, pictures) {
  if (!has_vips()) GTEST_SKIP() << "no libvips";
  for (const auto type : {dtype::u8, dtype::u16})
    for (const int channels : {1, 2, 3, 4}) {
      const auto pixels = sample(type, {37, 51}, channels);
      for (const std::string name : {"picture.png", "picture.tif"}) {
        write_image(fresh(name), pixels);
        expect_like_read_image(directory() / name);
      }
    }
  write_image(fresh("picture.jpg"), sample(dtype::u8, {37, 51}, 3));
  expect_like_read_image(directory() / "picture.jpg");
  write_image(fresh("pages.tif"), sample(dtype::i16, {3, 20, 30}));
  expect_like_read_image(directory() / "pages.tif");
}

TEST(sources, an_opaque_alpha_of_a_grey_picture_is_dropped) {
  if (!has_vips()) GTEST_SKIP() << "no libvips";
  // More than one part of a scratch file.
  auto pixels = sample(dtype::u16, {400, 700}, 2);
  const auto values = pixels.pixels<std::uint16_t>();
  for (std::size_t i = 1; i < values.size(); i += 2) values[i] = 65535;
  write_image(fresh("alpha.png"), pixels);
  EXPECT_EQ(open_source(directory() / "alpha.png", {}, directory())->form().channels, 1);
  expect_like_read_image(directory() / "alpha.png");
}

TEST(sources, pipes) {
  const auto pixels = sample(dtype::u16, {400, 900});
  write_image(fresh("piped.npy"), pixels);
  const auto bytes = load(directory() / "piped.npy");
  const auto pipe = fresh("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto before = listing();
  std::jthread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
  const auto source = open_source(pipe, {}, directory());
  writer.join();
  EXPECT_EQ(source->identity(), "");
  EXPECT_EQ(listing(), before);
  expect_regions(*source, pixels);
  std::jthread other([&] { std::ofstream(pipe, std::ios::binary) << "something else"; });
  const auto message = message_of<io_error>([&] { open_source(pipe, {}, directory()); });
  EXPECT_TRUE(message.starts_with(pipe.string()) && contains(message, "a pipe or device must give"))
      << message;
  EXPECT_EQ(listing(), before);
}

TEST(sources, regions_outside_the_image_are_refused) {
  write_image(fresh("outside.npy"), sample(dtype::u8, {4, 5}));
  const auto source = open_source(directory() / "outside.npy");
  std::array<std::byte, 64> to;
  for (const image_region& region : {image_region{{0, 0, 0}, {1, 5, 1}}, image_region{{0, 0, 5}, {1, 1, 1}},
                                     image_region{{0, -1, 0}, {1, 1, 1}}, image_region{{1, 0, 0}, {1, 1, 1}},
                                     image_region{{0, 0, 1}, {1, 1, INT64_MAX}}})
    EXPECT_TRUE(contains(message_of<usage_error>([&] { source->read(region, to.data()); }), "4 x 5"));
}

TEST(sources, files_that_end_early_are_refused_when_they_are_opened) {
  const auto cut_file = [](const std::string& name, std::size_t bytes) {
    write_image(fresh(name), sample(dtype::u16, {40, 50}));
    const auto all = load(directory() / name);
    return save(name, all.substr(0, all.size() - bytes));
  };
  for (const std::string name : {"short.npy", "short.nrrd", "short.mha"}) {
    const auto file = cut_file(name, 1);
    const auto message = message_of<io_error>([&] { open_source(file); });
    EXPECT_TRUE(message.starts_with(file.string() + ": byte ")) << message;
    EXPECT_TRUE(contains(message, "at least 4000 bytes, but the file has 3999")) << message;
  }
  const auto before = listing();
  if (has_vips()) {
    const auto file = cut_file("short.png", 500);
    EXPECT_TRUE(
        message_of<io_error>([&] { open_source(file, {}, directory()); }).starts_with(file.string() + ": "));
    fs::remove(file);
  }
  EXPECT_EQ(listing(), before);
  EXPECT_EQ(message_of<io_error>([] { open_source(directory() / "absent.npy"); }),
            (directory() / "absent.npy").string() + ": No such file or directory");
  EXPECT_TRUE(contains(message_of<io_error>([] { open_source(directory()); }), "is a directory"));
}

TEST(sources, a_file_that_changes_is_an_error) {
  const auto file = directory() / "changing.npy";
  const auto changed = [&](auto change) {
    write_image(fresh("changing.npy"), sample(dtype::u16, {40, 50}));
    const auto source = open_source(file);
    read_region(*source, all_of(source->form().shape));
    change();
    return message_of<io_error>([&] { read_region(*source, all_of(source->form().shape)); });
  };
  const auto shrunk = changed([&] { fs::resize_file(file, 3000); });
  EXPECT_TRUE(shrunk.starts_with(file.string() + ": the file had 4128 bytes") &&
              contains(shrunk, "has 3000 now") && contains(shrunk, "changed while it was read"))
      << shrunk;
  const auto touched =
      changed([&] { fs::last_write_time(file, fs::last_write_time(file) + std::chrono::hours(1)); });
  EXPECT_TRUE(contains(touched, "changed while it was read")) << touched;
}

TEST(sources, identities_follow_the_content) {
  const auto pixels = sample(dtype::u16, {400, 500});
  const auto file = fresh("identity.npy");
  write_image(file, pixels);
  const auto time = fs::last_write_time(file);
  const auto first = open_source(file)->identity();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(open_source(file)->identity(), first);
  fs::last_write_time(file, time + std::chrono::seconds(1));
  EXPECT_NE(open_source(file)->identity(), first);
  // Another image with the same size, time and header.
  auto bytes = load(file);
  bytes.back() ^= 1;
  save("identity.npy", bytes);
  fs::last_write_time(file, time);
  EXPECT_NE(open_source(file)->identity(), first);
  write_image(fresh("identity.pgm"), pixels);
  EXPECT_FALSE(open_source(directory() / "identity.pgm", {}, directory())->identity().empty());
  const auto raw = save("identity.raw", "twelve bytes");
  const auto as = [&](const extents& shape) {
    return open_source(raw, {.raw = raw_layout{.type = dtype::u8, .shape = shape}})->identity();
  };
  EXPECT_NE(as({3, 4}), as({4, 3}));
}

TEST(sources, scratch_files_have_no_name) {
  write_image(fresh("scratch.pgm"), sample(dtype::u8, {30, 40}));
  const auto before = listing();
  const auto source = open_source(directory() / "scratch.pgm", {}, directory());
  EXPECT_EQ(listing(), before);
  const auto missing = directory() / "missing";
  const auto message = message_of<io_error>([&] { open_source(directory() / "scratch.pgm", {}, missing); });
  EXPECT_TRUE(message.starts_with(missing.string()) && contains(message, "scratch.pgm") &&
              contains(message, "No such file or directory"))
      << message;
}

}  // namespace
}  // namespace macareu::test
