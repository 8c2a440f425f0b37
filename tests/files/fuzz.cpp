// Valid files of the built-in formats, damaged at random: reading gives pixels or an error of ours, and
// nothing else. Reading by regions gives the same.
#include <iostream>
#include <optional>
#include <random>

#include "regions.hpp"

namespace macareu::test {
namespace {

constexpr unsigned seed = 20240229;
constexpr int rounds = 1000;

std::string damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (auto changes = 1 + below(4); changes > 0 && !bytes.empty(); --changes) {
    // Headers are at the front, and are where damage matters.
    const auto at = below(below(2) == 0 ? std::min<std::size_t>(bytes.size(), 100) : bytes.size());
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 2:
        bytes[at] = "0129-.,:=()'\n #"[below(15)];
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, below(12)));
        break;
      default:
        below(4) == 0 ? bytes.resize(at) : static_cast<void>(bytes.erase(at, below(6)));
    }
  }
  return bytes;
}

/// The pixels of a file, or none if reading it gives an error of ours.
template <class Read>
std::optional<image> outcome(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const io_error& error) {
    EXPECT_TRUE(contains(error.what(), name) || contains(error.what(), directory().string())) << error.what();
  } catch (const usage_error&) {
  }
  return std::nullopt;
}

void fuzz(const std::string& name, const std::string& bytes, const read_options& options = {}) {
  std::cout << name << ": seed " << seed << std::endl;
  std::mt19937 random(seed);
  int read = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto changed = damaged(bytes, random);
    SCOPED_TRACE("round " + std::to_string(round));
    const auto file = save(name, changed);
    const auto whole = outcome(name, [&] { return read_image(file, options).pixels; });
    const auto by_regions = outcome(name, [&] {
      const auto source = open_source(file, options, directory());
      return read_region(*source, all_of(source->form().shape));
    });
    ASSERT_EQ(whole.has_value(), by_regions.has_value());
    if (whole) expect_same(*by_regions, *whole);
    if (whole) ++read;
  }
  EXPECT_GT(read, 0);
  EXPECT_LT(read, rounds);
}

std::string written(const std::string& name, const image& pixels) {
  write_image(fresh(name), pixels, {{{0.5, 0.25, 2}}});
  return load(directory() / name);
}

TEST(fuzz, npy) {
  fuzz("fuzz.npy", written("fuzz.npy", sample(dtype::u16, {3, 4, 5})));
  auto fortran = written("fuzz.npy", sample(dtype::boolean, {3, 4, 2}));
  fortran.replace(fortran.find("False"), 5, "True ");
  fuzz("fuzz.npy", fortran, {.channels_last = true});
}

TEST(fuzz, pnm) {
  fuzz("fuzz.pgm", written("fuzz.pgm", sample(dtype::u16, {4, 5})));
  fuzz("fuzz.ppm", "P3\n# a comment\n2 2 255\n1 2 3 4 5 6 7 8 9 10 11 12\n");
}

TEST(fuzz, nrrd) {
  fuzz("fuzz.nrrd", written("fuzz.nrrd", sample(dtype::f32, {3, 4}, 3)));
  const std::string head =
      "NRRD0004\ntype: uint16\ndimension: 2\nsizes: 3 2\nspace directions: (1,0) (0,2)\n";
  fuzz("fuzz.nrrd", head + "encoding: ascii\n\n1 2 3 4 5 65535\n");
  fuzz("fuzz.nrrd", head + "endian: little\nencoding: raw\nbyte skip: 1\n\n 123456789012");
}

TEST(fuzz, mha) { fuzz("fuzz.mha", written("fuzz.mha", sample(dtype::i32, {2, 3, 4}))); }

TEST(fuzz, compressed) {
  const std::string head =
      "NDims = 2\nCompressedData = True\nDimSize = 3 2\nElementType = MET_USHORT\nElementDataFile = LOCAL\n";
  const auto bytes = head + from_hex("789c6364606260666060fcff9f81010007420206");
  try {
    read_image(save("fuzz.mha", bytes));
  } catch (const io_error& error) {
    GTEST_SKIP() << error.what();
  }
  fuzz("fuzz.mha", bytes);
}

TEST(fuzz, raw) {
  fuzz("fuzz.raw", std::string(40, 'x'), {.raw = raw_layout{.type = dtype::u16, .shape = {4, 5}}});
}

}  // namespace
}  // namespace macareu::test
