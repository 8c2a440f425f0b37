// Files as others write them, byte by byte.
#include <array>
#include <cstdint>

#include "support.hpp"

namespace macareu::test {
namespace {

using u8s = std::vector<std::uint8_t>;
using u16s = std::vector<std::uint16_t>;

std::string npy(int version, const std::string& dictionary, std::string_view pixels) {
  std::string file = "\x93NUMPY" + std::string{static_cast<char>(version), '\0'};
  file += static_cast<char>(dictionary.size() & 255);
  file += static_cast<char>(dictionary.size() >> 8);
  if (version > 1) file += std::string(2, '\0');
  return file + dictionary + std::string(pixels);
}

TEST(npy, versions_byte_orders_and_spellings) {
  const std::string little = from_hex("01 00 02 00 03 00 00 01 ff ff 00 00");
  const std::string big = from_hex("00 01 00 02 00 03 01 00 ff ff 00 00");
  const std::string files[] = {
      npy(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }  \n", little),
      npy(2, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }\n", little),
      npy(3, "{'shape':(2,3),'fortran_order':False,'descr':\"<u2\"}", little),
      npy(1, "{'descr': '>u2', 'fortran_order': False, 'shape': (2L, 3L)}\n", big),
      npy(1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }\n",
          little + "more than is asked for"),
  };
  for (const auto& bytes : files) {
    const auto got = read_image(save("a.npy", bytes)).pixels;
    EXPECT_EQ(got.shape(), (extents{2, 3}));
    EXPECT_EQ(values<std::uint16_t>(got), (u16s{1, 2, 3, 256, 65535, 0}));
  }
}

TEST(npy, fortran_order) {
  const auto flat =
      read_image(save("f.npy", npy(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}",
                                   from_hex("00 10 01 11 02 12"))));
  EXPECT_EQ(flat.pixels.shape(), (extents{2, 3}));
  EXPECT_EQ(values<std::uint8_t>(flat.pixels), (u8s{0x00, 0x01, 0x02, 0x10, 0x11, 0x12}));
  const auto file = save("f3.npy", npy(1, "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 1, 2)}",
                                       from_hex("00 01 00 03 00 02 00 04")));
  const auto volume = read_image(file).pixels;
  EXPECT_EQ(volume.shape(), (extents{2, 1, 2}));
  EXPECT_EQ(values<std::int16_t>(volume), (std::vector<std::int16_t>{1, 2, 3, 4}));
  const auto colour = read_image(file, {.channels_last = true}).pixels;
  EXPECT_EQ(colour.shape(), (extents{2, 1}));
  EXPECT_EQ(colour.channels(), 2);
  EXPECT_EQ(values<std::int16_t>(colour), (std::vector<std::int16_t>{1, 2, 3, 4}));
}

TEST(npy, bool_is_0_or_1_whatever_the_bytes) {
  const auto got = read_image(save(
      "b.npy", npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (1, 4)}", from_hex("00 01 02 ff"))));
  EXPECT_EQ(got.pixels.type(), dtype::boolean);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(static_cast<const unsigned char*>(got.pixels.data())[i], i > 0 ? 1 : 0);
}

TEST(npy, channels_last_takes_the_last_axis) {
  write_image(directory() / "c.npy", sample(dtype::u8, {2, 5, 3}));
  EXPECT_EQ(read_image(directory() / "c.npy").pixels.shape(), (extents{2, 5, 3}));
  const auto colour = read_image(directory() / "c.npy", {.channels_last = true}).pixels;
  EXPECT_EQ(colour.shape(), (extents{2, 5}));
  EXPECT_EQ(colour.channels(), 3);
}

TEST(npy, what_is_written_is_aligned_version_1) {
  write_image(directory() / "w.npy", sample(dtype::f32, {2, 3}));
  const auto bytes = load(directory() / "w.npy");
  EXPECT_TRUE(bytes.starts_with(
      std::string("\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 67)));
  EXPECT_EQ(bytes.size(), 128 + 24u);
  EXPECT_EQ(bytes[127], '\n');
}

TEST(pnm, binary_and_text_with_comments) {
  const struct {
    std::string bytes;
    int channels;
    u8s expected;
  } cases[] = {
      {"P5\n2 2\n255\n" + from_hex("00 0a 20 ff"), 1, {0, 10, 32, 255}},
      {"P5 # a comment\n#another\n2\t2 # P6\n255 " + from_hex("0a 23 20 ff") + "trailing",
       1,
       {10, 35, 32, 255}},
      {"P2\n# text\n2 2\n7\n0 1\n# between\n2 7", 1, {0, 1, 2, 7}},
      {"P2 2 2 255 0 001 20#end\n\n255\n", 1, {0, 1, 20, 255}},
      {"P6\n1 2\n255\n" + from_hex("01 02 03 04 05 06"), 3, {1, 2, 3, 4, 5, 6}},
      {"P3\r\n2 1\r\n9\r\n1 2 3\r\n4 5 6\r\n", 3, {1, 2, 3, 4, 5, 6}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.bytes);
    const auto got = read_image(save("a.ppm", c.bytes)).pixels;
    EXPECT_EQ(got.channels(), c.channels);
    EXPECT_EQ(values<std::uint8_t>(got), c.expected);
  }
}

TEST(pnm, several_images_are_a_volume) {
  const auto bytes = "P5\n2 1\n255\n" + from_hex("01 02") + "P5 2 1 # next\n255\n" + from_hex("50 35");
  const auto volume = read_image(save("a.pgm", bytes + "Part of none")).pixels;
  EXPECT_EQ(volume.shape(), (extents{2, 1, 2}));
  EXPECT_EQ(values<std::uint8_t>(volume), (u8s{1, 2, 0x50, 0x35}));
  const auto text = read_image(save("t.pgm", "P2 2 1 9 1 2\n# next\nP2 2 1 9\n3 4\n")).pixels;
  EXPECT_EQ(values<std::uint8_t>(text), (u8s{1, 2, 3, 4}));
  write_image(directory() / "w.pgm", volume);
  EXPECT_EQ(load(directory() / "w.pgm"),
            "P5\n2 1\n255\n" + from_hex("01 02") + "P5\n2 1\n255\n" + from_hex("50 35"));
}

TEST(pnm, sixteen_bits_are_big_endian) {
  const auto binary = read_image(save("a.pgm", "P5\n2 1\n65535\n" + from_hex("01 02 ff fe"))).pixels;
  EXPECT_EQ(values<std::uint16_t>(binary), (u16s{0x0102, 0xfffe}));
  const auto text = read_image(save("a.pgm", "P2 2 1 256 256 0")).pixels;
  EXPECT_EQ(values<std::uint16_t>(text), (u16s{256, 0}));
  write_image(directory() / "w.pgm", binary);
  EXPECT_EQ(load(directory() / "w.pgm"), "P5\n2 1\n65535\n" + from_hex("01 02 ff fe"));
  write_image(directory() / "w.pgm", sample(dtype::boolean, {1, 2}));
  EXPECT_EQ(load(directory() / "w.pgm").substr(0, 11), "P5\n2 1\n255\n");
}

/// Compressed files cannot be read where the build has no zlib.
std::optional<image_file> read_compressed(const std::filesystem::path& file) {
  try {
    return read_image(file);
  } catch (const io_error& error) {
    if (!contains(error.what(), "no zlib")) throw;
    return std::nullopt;
  }
}

TEST(nrrd, sizes_are_x_first) {
  const auto got = read_image(save("a.nrrd",
                                   "NRRD0001\n# a comment\ntype: unsigned short\ndimension: 2\nsizes: 3 2\n"
                                   "key:=value: with colon\nendian: big\nencoding: raw\n\n" +
                                       from_hex("00 01 00 02 00 03 01 00 ff ff 00 00")));
  EXPECT_EQ(got.pixels.shape(), (extents{2, 3}));
  EXPECT_EQ(values<std::uint16_t>(got.pixels), (u16s{1, 2, 3, 256, 65535, 0}));
  EXPECT_FALSE(got.info.spacing);
}

TEST(nrrd, gzip) {
  const auto got = read_compressed(save(
      "z.nrrd",
      "NRRD0005\r\nType: ushort\r\ndimension: 2\r\nsizes: 3 2\r\nendian: little\r\nencoding: gzip\r\n\r\n" +
          from_hex("1f8b08000000000002036364606260666060fcff9f8101007246f7370c000000")));
  if (!got) GTEST_SKIP() << "this build has no zlib";
  EXPECT_EQ(values<std::uint16_t>(got->pixels), (u16s{1, 2, 3, 256, 65535, 0}));
}

TEST(nrrd, text_numbers) {
  const auto got = read_image(save(
      "t.nrrd", "NRRD0004\ntype: float\ndimension: 2\nsizes: 3 1\nencoding: ascii\n\n1.5 -2e3\n+0.25\n"));
  EXPECT_EQ(values<float>(got.pixels), (std::vector<float>{1.5f, -2000, 0.25f}));
}

TEST(nrrd, spacing_from_directions_and_spacings) {
  const std::string head = "NRRD0004\ntype: uint8\ndimension: 4\nsizes: 1 1 1 1\nencoding: raw\n";
  const auto directions =
      read_image(save("d.nrrd", head + "kinds: vector domain domain domain\nspace dimension: 3\n"
                                       "space directions: none (0.3,0.4,0) (0, -2, 0) (0,0,5)\n\nx"));
  ASSERT_TRUE(directions.info.spacing);
  EXPECT_EQ(*directions.info.spacing, (std::array{5.0, 2.0, 0.5}));
  const auto spacings =
      read_image(save("s.nrrd", head + "kinds: vector space space space\nspacings: nan 0.5 2 5\n\nx"));
  ASSERT_TRUE(spacings.info.spacing);
  EXPECT_EQ(*spacings.info.spacing, (std::array{5.0, 2.0, 0.5}));
  EXPECT_FALSE(
      read_image(save("n.nrrd", head + "kinds: vector space space space\nspacings: nan nan 2 5\n\nx"))
          .info.spacing);
}

TEST(nrrd, channels_first_or_last_by_kind) {
  const std::string head = "NRRD0004\ntype: uint8\ndimension: 3\nencoding: raw\n";
  const auto interleaved =
      read_image(save("i.nrrd", head + "sizes: 3 2 1\nkinds: RGB-color domain domain\n\nabcdef"));
  EXPECT_EQ(interleaved.pixels.shape(), (extents{1, 2}));
  EXPECT_EQ(values<std::uint8_t>(interleaved.pixels), (u8s{'a', 'b', 'c', 'd', 'e', 'f'}));
  const auto planes =
      read_image(save("p.nrrd", head + "sizes: 2 1 3\nkinds: domain domain vector\n\nadbecf"));
  EXPECT_EQ(planes.pixels.shape(), (extents{1, 2}));
  EXPECT_EQ(values<std::uint8_t>(planes.pixels), (u8s{'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(read_image(save("v.nrrd", head + "sizes: 2 1 3\n\nadbecf")).pixels.shape(), (extents{3, 1, 2}));
}

TEST(nrrd, detached_data) {
  save("d.bin", "a line\nskipabcd");
  const std::string head =
      "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 2\nencoding: raw\ndata file: d.bin\n";
  for (const std::string skip : {"line skip: 1\nbyte skip: 4\n", "byte skip: -1\n"})
    EXPECT_EQ(values<std::uint8_t>(read_image(save("d.nhdr", head + skip)).pixels),
              (u8s{'a', 'b', 'c', 'd'}));
}

TEST(mha, both_byte_orders_channels_and_spacing) {
  const std::string tail = "ElementType = MET_USHORT\nElementDataFile = LOCAL\n";
  const auto big =
      read_image(save("b.mha",
                      "ObjectType = Image\nNDims = 2\nBinaryData = True\nBinaryDataByteOrderMSB = True\n"
                      "DimSize = 3 2\nElementSpacing = 0.5 2\n" +
                          tail + from_hex("00 01 00 02 00 03 01 00 ff ff 00 00")));
  EXPECT_EQ(big.pixels.shape(), (extents{2, 3}));
  EXPECT_EQ(values<std::uint16_t>(big.pixels), (u16s{1, 2, 3, 256, 65535, 0}));
  EXPECT_EQ((*big.info.spacing)[0], 2);
  EXPECT_EQ((*big.info.spacing)[1], 0.5);
  const auto colour = read_image(
      save("c.mha", "NDims=2\r\nElementByteOrderMSB=False\r\nDimSize=1 2\r\nElementNumberOfChannels=3\r\n" +
                        tail + from_hex("01 00 02 00 03 00 00 01 ff ff 00 00")));
  EXPECT_EQ(colour.pixels.shape(), (extents{2, 1}));
  EXPECT_EQ(colour.pixels.channels(), 3);
  EXPECT_EQ(values<std::uint16_t>(colour.pixels), (u16s{1, 2, 3, 256, 65535, 0}));
  const auto text =
      read_image(save("t.mha", "NDims = 2\nBinaryData = False\nDimSize = 2 1\n" + tail + "7 65535\n"));
  EXPECT_EQ(values<std::uint16_t>(text.pixels), (u16s{7, 65535}));
}

TEST(mha, compressed) {
  const auto got = read_compressed(save(
      "z.mha",
      "NDims = 2\nCompressedData = True\nCompressedDataSize = 20\nDimSize = 3 2\nElementType = MET_USHORT\n"
      "ElementDataFile = LOCAL\n" +
          from_hex("789c6364606260666060fcff9f81010007420206")));
  if (!got) GTEST_SKIP() << "this build has no zlib";
  EXPECT_EQ(values<std::uint16_t>(got->pixels), (u16s{1, 2, 3, 256, 65535, 0}));
}

TEST(mha, detached_data) {
  save("m.bin", "skipabcd");
  const std::string head = "NDims = 2\nDimSize = 2 2\nElementType = MET_UCHAR\n";
  for (const std::string skip : {"HeaderSize = 4\n", "HeaderSize = -1\n"})
    EXPECT_EQ(
        values<std::uint8_t>(read_image(save("m.mhd", head + skip + "ElementDataFile = m.bin\n")).pixels),
        (u8s{'a', 'b', 'c', 'd'}));
}

TEST(raw, offset_and_byte_order) {
  const auto file = save("a.raw", from_hex("ee 01 00 00 02 ff"));
  const raw_layout layout{
      .type = dtype::u16, .shape = {1, 2}, .offset = 1, .order = raw_layout::byte_order::big};
  EXPECT_EQ(values<std::uint16_t>(read_image(file, {.raw = layout}).pixels), (u16s{256, 2}));
  const auto message = message_of<io_error>([&] { read_image(file); });
  for (const std::string needed : {"shape", "pixel type", "offset", "byte order"})
    EXPECT_TRUE(contains(message, needed)) << message;
}

}  // namespace
}  // namespace macareu::test
