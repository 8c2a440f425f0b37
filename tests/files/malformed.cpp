// Files that lie. Each must give an io_error with the file and an offset, before memory is taken for what it
// claims.
#include "support.hpp"

namespace macareu::test {
namespace {

/// A file and a part of the message it must give. Where a size is absurd, trying to take the memory would
/// give another one.
struct lie {
  std::string bytes;
  std::string message;
};

void expect_refused(const std::string& name, const std::vector<lie>& lies, const read_options& options = {}) {
  for (const auto& [bytes, part] : lies) {
    SCOPED_TRACE(bytes.substr(0, 300));
    const auto file = save(name, bytes);
    const auto message = message_of<io_error>([&] { read_image(file, options); });
    EXPECT_TRUE(message.starts_with(file.string() + ": byte ")) << message;
    EXPECT_TRUE(contains(message, part)) << message;
  }
}

std::string npy(const std::string& descr, const std::string& shape, const std::string& pixels = "") {
  const auto text = "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  return "\x93NUMPY" + std::string("\1\0", 2) + static_cast<char>(text.size()) + std::string(1, '\0') + text +
         pixels;
}

TEST(malformed, npy) {
  const std::string start = "\x93NUMPY";
  const std::string exabytes = "(1073741824, 1073741824)";
  expect_refused("bad.npy",
                 {{"", "\\x93NUMPY"},
                  {"\x93NUMP", "\\x93NUMPY"},
                  {"P5 2 2 255\n", "\\x93NUMPY"},
                  {start, "ends"},
                  {start + std::string("\1\0\xff", 3), "ends"},
                  {start + std::string("\4\0\1\0{", 5), "version 4"},
                  {start + std::string("\1\0\xff\xff{", 5), "65535 bytes"},
                  {start + std::string("\2\0\xff\xff\xff\xff{}", 8), "4294967295 bytes"},
                  {start + std::string("\1\0\0\0", 4), "'{'"},
                  {start + std::string("\1\0\2\0{}", 6), "lacks one of"},
                  {start + std::string("\1\0\3\0{'a", 7), "does not end"},
                  {start + std::string("\1\0\7\0{'a': 1", 11), "unknown key"},
                  {npy("'<u2'", "(2, 3)", "12345678901"), "at least 12 bytes, but the file has 11"},
                  {npy("'|u1'", exabytes, "123"), "but the file has 3"},
                  {npy("'<f8'", exabytes), "more pixels"},
                  {npy("'|u1'", "(0, 9223372036854775807)"), "more pixels"},
                  {npy("'|u1'", "(9223372036854775807, 9223372036854775807)"), "more pixels"},
                  {npy("'|u1'", "(9223372036854775808, 1)"), "not a number in range"},
                  {npy("'|u1'", "(-2, 3)"), "size of -2"},
                  {npy("'|u1'", "(2.5, 3)"), "not a number"},
                  {npy("'|u1'", "(2, , 3)"), "not a number"},
                  {npy("'|u1'", "(2 3)"), "lacks a ','"},
                  {npy("'|u1'", "[2, 3]"), "'('"},
                  {npy("'|u1'", "(2, 3"), "not a number"},
                  {npy("'|u1'", "()"), "0 axes"},
                  {npy("'|u1'", "(5,)", "12345"), "1 axis"},
                  {npy("'|u1'", "(1, 1, 1, 3)", "123"), "with channels last"},
                  {npy("'|u1'", "(1, 1, 1, 1, 3)", "123"), "5 axes"},
                  {npy("'<f2'", "(1, 1)", "12"), "'<f2'"},
                  {npy("'<c8'", "(1, 1)", "12345678"), "'<c8'"},
                  {npy("'|O'", "(1, 1)", "12345678"), "'|O'"},
                  {npy("'<U4'", "(1, 1)", "12345678"), "'<U4'"},
                  {npy("''", "(1, 1)", "1"), "type ''"},
                  {npy("'u1'", "(1, 1)", "1"), "type 'u1'"},
                  {npy("[('r', '|u1')]", "(1, 1)", "1"), "records"},
                  {npy("5", "(1, 1)", "1"), "string"}});
  expect_refused("bad.npy",
                 {{npy("'|u1'", "(2, 3)", "123456"), "2 axes"},
                  {npy("'|u1'", "(2, 3, 0)", ""), "0 channels"},
                  {npy("'|u1'", "(1, 1, 4294967296)", ""), "4294967296 channels"}},
                 {.channels_last = true});
}

TEST(malformed, pnm) {
  expect_refused("bad.pgm", {{"", "starts with"},
                             {"P", "starts with"},
                             {"P4\n1 1\n", "starts with"},
                             {"P7\nWIDTH 1\n", "starts with"},
                             {"P5", "width"},
                             {"P5\n#only a comment", "width"},
                             {"P5\n0 2\n255\n", "width"},
                             {"P5\n-2 2\n255\n1234", "width"},
                             {"P5\n2 0\n255\n", "height"},
                             {"P5\n2 x\n255\n", "height"},
                             {"P5\n2 2\n0\n1234", "largest value"},
                             {"P5\n2 2\n65536\n1234", "65536"},
                             {"P5\n2 2\n255", "white space"},
                             {"P5\n1 1\n255\n1P5\n1 2\n255\n12", "u8 2 x 1, follows one of u8 1 x 1"},
                             {"P5\n1 1\n255\n1P5\n1 1\n256\n12", "u16 1 x 1, follows one of u8"},
                             {"P5\n1 1\n255\n1P5\n1 1\n255\n", "but the file has 0"},
                             {"P5\n1 1\n255\n1P6\n1 1\n255\n123", "starts with 'P6' follows one with 'P5'"},
                             {"P5\n1 1\n255\n1\nP4\n1 1\n1", "starts with 'P4' follows"},
                             {"P5\n2 2\n255x1234", "white space"},
                             {"P5\n2 2\n255\n123", "but the file has 3"},
                             {"P5\n2 2\n256\n1234567", "but the file has 7"},
                             {"P6\n2 2\n255\n12345678901", "but the file has 11"},
                             {"P5\n1000000000 1000000000\n255\n1234", "but the file has 4"},
                             {"P2\n1000000000 1000000000\n255\n1 2 3 4", "but the file has 7"},
                             {"P6\n9223372036854775807 9223372036854775807\n255\n1", "more pixels"},
                             {"P5\n99999999999999999999 1\n255\n1", "width"},
                             {"P2\n2 1\n255\n1 ", "but the file has 2"},
                             {"P2\n2 1\n255\n1    ", "ends before"},
                             {"P2\n2 1\n255\n1 256", "'256'"},
                             {"P2\n2 1\n7\n1 8", "'8'"},
                             {"P2\n2 1\n255\n1 -1", "'-1'"},
                             {"P2\n2 1\n255\n1 1.5", "'1.5'"},
                             {"P2\n2 1\n255\n1 \x01\xff\n", "'?"}});
}

std::string nrrd(const std::string& fields, const std::string& pixels = "") {
  return "NRRD0004\n" + fields + "\n" + pixels;
}

TEST(malformed, nrrd) {
  const std::string u8 = "type: uint8\ndimension: 2\nsizes: 2 2\n";
  const std::string raw = "encoding: raw\n";
  const std::string huge = "type: double\ndimension: 2\nsizes: 1000000000 100000000\nendian: little\n";
  const std::string cube = "type: uint8\ndimension: 3\nsizes: 1 2 2\n" + raw;
  expect_refused("bad.nrrd",
                 {{"", "starts with"},
                  {"NRRD", "starts with"},
                  {"NRRD0009\n\n", "starts with"},
                  {"NRRD0004", "ends inside"},
                  {"NRRD0004\n" + u8 + raw, "ends inside"},
                  {nrrd(""), "'dimension' is missing"},
                  {nrrd("type: uint8\n" + raw), "'dimension' is missing"},
                  {nrrd("dimension: 2\n" + raw), "'sizes' is missing"},
                  {nrrd("dimension: 2\nsizes: 2 2\n" + raw), "'type' is missing"},
                  {nrrd(u8, "1234"), "'encoding' is missing"},
                  {nrrd("no colon\n" + u8 + raw, "1234"), "has no ':'"},
                  {nrrd(u8 + raw, "123"), "but the file has 3"},
                  {nrrd(u8 + "encoding: bzip2\n", "1234"), "bzip2"},
                  {nrrd(u8 + "encoding: ascii\n", "1 2 3"), "but the file has 5"},
                  {nrrd(u8 + "encoding: ascii\n", "1 2 3 300"), "'300'"},
                  {nrrd("type: block\ndimension: 2\nsizes: 2 2\n" + raw, "1234"), "'block'"},
                  {nrrd("type: short\ndimension: 2\nsizes: 1 1\n" + raw, "12"), "'endian' is missing"},
                  {nrrd("type: short\ndimension: 2\nsizes: 1 1\nendian: odd\n" + raw, "12"), "'odd'"},
                  {nrrd("type: uint8\ndimension: 1\nsizes: 4\n" + raw, "1234"), "not 2 to 4"},
                  {nrrd("type: uint8\ndimension: 99999999999\nsizes: 4\n" + raw, "1"), "not 2 to 4"},
                  {nrrd("type: uint8\ndimension: two\nsizes: 4 4\n" + raw, "1"), "'two'"},
                  {nrrd("type: uint8\ndimension: 4\nsizes: 1 1 2 2\n" + raw, "1234"), "'kinds'"},
                  {nrrd("type: uint8\ndimension: 2\nsizes: 2 2 2\n" + raw, "1234"), "has 3 values"},
                  {nrrd("type: uint8\ndimension: 2\nsizes: 0 2\n" + raw, ""), "size of 0"},
                  {nrrd("type: uint8\ndimension: 2\nsizes: -2 2\n" + raw, "1234"), "size of -2"},
                  {nrrd(huge + raw, "1"), "but the file has 1"},
                  {nrrd(huge + "encoding: gzip\n", "1"), "but the file has 1"},
                  {nrrd(huge + "encoding: ascii\n", "1"), "but the file has 1"},
                  {nrrd("type: int64\ndimension: 3\nsizes: 2000000000 2000000000 2000000000\n" + raw, "1"),
                   "more pixels"},
                  {nrrd(cube + "kinds: vector vector domain\n", "1234"), "more than one"},
                  {nrrd(cube + "kinds: domain vector domain\n", "1234"), "between"},
                  {nrrd(cube + "kinds: domain\n", "1234"), "as many entries"},
                  {nrrd(cube + "spacings: 1 x 2\n", "1234"), "'x'"},
                  {nrrd(cube + "spacings: 1 2\n", "1234"), "has 2 values"},
                  {nrrd(cube + "space directions: (1,0) (0,1)\n", "1234"), "as many vectors"},
                  {nrrd(cube + "space directions: (1,0) (0,x) none\n", "1234"), "'x'"},
                  {nrrd(cube + "space directions: (1,0 none none\n", "1234"), "not a vector"},
                  {nrrd(u8 + raw + "byte skip: 5\n", "1234"), "skip 5 bytes"},
                  {nrrd(u8 + raw + "byte skip: -2\n", "1234"), "a negative count"},
                  {nrrd(u8 + raw + "line skip: -1\n", "1234"), "a negative count"},
                  {nrrd(u8 + raw + "line skip: 1000000000000\n", "1234"), "ends inside"},
                  {nrrd(u8 + raw + "byte skip: 9223372036854775807\n", "1234"), "but the file has 4"},
                  {nrrd(u8 + "encoding: gzip\nbyte skip: 1\n", "1234"), "gzip"},
                  {nrrd(u8 + raw + "data file: absent.bin\n"), "absent.bin"},
                  {nrrd(u8 + raw + "data file: /dev/zero\n"), "not a file"},
                  {nrrd(u8 + raw + "data file: slice%03d.raw 1 10 1\n"), "several files"},
                  {nrrd(u8 + "content: " + std::string(100'000, 'x') + "\n"), "does not end"}});
}

TEST(malformed, mha) {
  const std::string type = "ElementType = MET_UCHAR\n";
  const std::string local = type + "ElementDataFile = LOCAL\n";
  const std::string flat = "NDims = 2\nDimSize = 2 2\n";
  expect_refused("bad.mha",
                 {{"", "ends inside"},
                  {"NDims = 2\n", "ends inside"},
                  {"NDims\n", "has no '='"},
                  {local, "'ndims' is missing"},
                  {"NDims = 2\n" + local, "'dimsize' is missing"},
                  {flat + "ElementDataFile = LOCAL\n1234", "'elementtype' is missing"},
                  {flat + local + "123", "but the file has 3"},
                  {"NDims = 1\nDimSize = 4\n" + local + "1234", "not 2 or 3"},
                  {"NDims = 4\nDimSize = 1 1 2 2\n" + local + "1234", "not 2 or 3"},
                  {"NDims = 2\nDimSize = 4\n" + local + "1234", "has 1 values"},
                  {"NDims = 2\nDimSize = 0 4\n" + local, "size of 0"},
                  {"NDims = 2\nDimSize = -4 1\n" + local + "1234", "size of -4"},
                  {"NDims = 2\nDimSize = 1000000000 1000000000\n" + local + "1", "but the file has 1"},
                  {"NDims = 2\nDimSize = 1000000000 1000000000\nCompressedData = True\n" + local + "1",
                   "the file has 1"},
                  {"NDims = 2\nDimSize = 4000000000 4000000000\n" + local + "1", "more pixels"},
                  {flat + "ElementNumberOfChannels = 0\n" + local + "1234", "0 channels"},
                  {flat + "ElementNumberOfChannels = 3\n" + local + "1234", "but the file has 4"},
                  {flat + "ElementSpacing = 1 b\n" + local + "1234", "'b'"},
                  {flat + "BinaryDataByteOrderMSB = maybe\n" + local + "1234", "'maybe'"},
                  {flat + "BinaryData = False\n" + local + "1 2 3 4x", "'4x'"},
                  {flat + "ElementType = MET_STRING\nElementDataFile = LOCAL\n1234", "'MET_STRING'"},
                  {flat + type + "ElementDataFile = absent.raw\n", "absent.raw"},
                  {flat + type + "ElementDataFile = LIST\na.raw\nb.raw\n", "several files"}});
}

TEST(malformed, compressed) {
  const std::string head = "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 6 2\nencoding: gzip\n\n";
  const auto good = from_hex("1f8b08000000000002036364606260666060fcff9f8101007246f7370c000000");
  try {
    read_image(save("good.nrrd", head + good));
  } catch (const io_error& error) {
    GTEST_SKIP() << error.what();
  }
  auto damaged = good;
  damaged[10] = '\x77';
  expect_refused("bad.nrrd", {{head, "ends after 0 of 12"},
                              {head + good.substr(0, 15), "of 12 bytes"},
                              {head + "not a gzip stream", "damaged"},
                              {head + damaged, "damaged"},
                              {"NRRD0004\ntype: uint8\ndimension: 2\nsizes: 6 3\nencoding: gzip\n\n" + good,
                               "end after 12 of 18"}});
}

TEST(malformed, raw) {
  const auto layout = [](extents shape, std::uint64_t offset) {
    return read_options{.raw = raw_layout{.type = dtype::u16, .shape = shape, .offset = offset}};
  };
  expect_refused("bad.raw", {{"1234567", "but the file has 7"}}, layout({2, 2}, 0));
  expect_refused("bad.raw", {{"12345678", "but the file has 7"}}, layout({2, 2}, 1));
  expect_refused("bad.raw", {{"12345678", "before byte 9"}}, layout({2, 2}, 9));
  expect_refused("bad.raw", {{"12345678", "before byte"}}, layout({2, 2}, ~std::uint64_t{0}));
  expect_refused("bad.raw", {{"12345678", "but the file has 8"}}, layout({1 << 30, 1 << 30}, 0));
  expect_refused("bad.raw", {{"12345678", "more pixels"}}, layout({std::int64_t{1} << 61, 2}, 0));
}

TEST(malformed, files_that_are_not_there) {
  const auto absent = directory() / "absent.npy";
  EXPECT_EQ(message_of<io_error>([&] { read_image(absent); }),
            absent.string() + ": No such file or directory");
  EXPECT_TRUE(contains(message_of<io_error>([] { read_image(directory()); }), "is a directory"));
  const auto unknown = save("unknown.xyz", "nothing that is known");
  EXPECT_TRUE(message_of<io_error>([&] { read_image(unknown); }).starts_with(unknown.string()));
}

}  // namespace
}  // namespace macareu::test
