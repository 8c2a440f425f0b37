// Zarr v2 arrays and OME-Zarr 0.4 images, made by hand and written by the library.
#include <cmath>
#include <fstream>

#include "regions.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

/// An array of 3 rows and 5 columns of u16, in chunks of 2 x 3; `more` adds or replaces fields.
std::string zarray(const std::string& more = "") {
  const std::pair<std::string, std::string> fields[] = {
      {"zarr_format", "2"},   {"shape", "[3, 5]"}, {"chunks", "[2, 3]"}, {"dtype", "\"<u2\""},
      {"compressor", "null"}, {"fill_value", "7"}, {"order", "\"C\""},   {"filters", "null"}};
  auto text = "{" + more;
  for (const auto& [name, value] : fields)
    if (!contains(more, "\"" + name + "\""))
      text += (text.size() > 1 ? ", \"" : "\"") + name + "\": " + value;
  return text + "}";
}

void put(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

fs::path made(const std::string& metadata, const std::vector<std::pair<std::string, std::string>>& chunks) {
  const auto path = directory() / "made.zarr";
  fs::remove_all(path);
  put(path / ".zarray", metadata);
  for (const auto& [name, bytes] : chunks) put(path / name, bytes);
  return path;
}

/// The chunk with the values 1 to 5 and 511.
const auto chunk = from_hex("0100 0200 0300 0400 0500 ff01");
const std::vector<std::uint16_t> expected{1, 2, 3, 7, 7, 4, 5, 511, 7, 7, 7, 7, 7, 7, 7};

image read_all(const fs::path& path, const read_options& options = {}) {
  const auto source = open_source(path, options);
  return read_region(*source, all_of(source->form().shape));
}

void expect_refused(const fs::path& path, const std::string& part, const read_options& options = {}) {
  const auto message = message_of<io_error>([&] { read_all(path, options); });
  EXPECT_TRUE(message.starts_with(path.string())) << message;
  EXPECT_TRUE(contains(message, part)) << message;
}

class zarr : public testing::Test {
 protected:
  void SetUp() override {
    if (!writes(".zarr")) GTEST_SKIP() << "this build has no nlohmann-json";
    fs::remove_all(directory() / "out.zarr");
    fs::remove_all(directory() / "out.ome.zarr");
  }
};

TEST_F(zarr, missing_chunks_have_the_fill_value) {
  const auto path = made(zarray(), {{"0.0", chunk}});
  EXPECT_EQ(values<std::uint16_t>(read_all(path)), expected);
  const auto source = open_source(path);
  EXPECT_EQ(source->chunk(), (std::array<std::int64_t, 3>{1, 2, 3}));
  expect_regions(*source, read_all(path));
  EXPECT_EQ(values<std::uint16_t>(read_all(made(zarray("\"dimension_separator\": \"/\""), {{"0/0", chunk}}))),
            expected);
  EXPECT_EQ(values<std::uint16_t>(read_all(made(zarray("\"fill_value\": null"), {})))[4], 0);
  const auto nan = read_all(made(zarray("\"fill_value\": \"NaN\", \"dtype\": \"<f4\""), {}));
  EXPECT_TRUE(std::isnan(values<float>(nan)[4]));
}

TEST_F(zarr, byte_orders) {
  auto swapped = chunk;
  for (std::size_t i = 0; i < swapped.size(); i += 2) std::swap(swapped[i], swapped[i + 1]);
  EXPECT_EQ(values<std::uint16_t>(read_all(made(zarray("\"dtype\": \">u2\""), {{"0.0", swapped}}))),
            expected);
}

TEST_F(zarr, codecs) {
  const struct {
    std::string compressor, bytes;
  } cases[] = {
      {"zlib", from_hex("780163646062606660616065f8cf0800026f0110")},
      {"gzip", from_hex("1f8b080000000000040363646062606660616065f8cf08001e2266220c000000")},
      {"zstd", from_hex("28b52ffd045861000001000200030004000500ff016c4f37b9")},
      {"blosc", from_hex("02010202 0c000000 0c000000 1c000000") + chunk},
  };
  for (const auto& [compressor, bytes] : cases) {
    SCOPED_TRACE(compressor);
    const auto about = zarray("\"compressor\": {\"id\": \"" + compressor + "\"}");
    try {
      read_all(made(about, {{"0.0", bytes}}));
    } catch (const io_error& error) {
      EXPECT_TRUE(contains(error.what(), "this build has no")) << error.what();
      continue;
    }
    const auto path = made(about, {{"0.0", bytes}});
    EXPECT_EQ(values<std::uint16_t>(read_all(path)), expected);
    const auto replace = [&](const std::string& chunk_bytes) {
      fs::remove(path / "0.0");
      put(path / "0.0", chunk_bytes);
    };
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      replace(bytes.substr(0, length));
      expect_refused(path, "0.0: ");
    }
    // Damaged bytes are an error or other pixels, never a crash.
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      auto damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      replace(damaged);
      try {
        read_all(path);
      } catch (const io_error& error) {
        EXPECT_TRUE(contains(error.what(), "0.0: ")) << error.what();
      }
    }
    for (const std::string chunks : {"[2, 2]", "[2, 4]", "[20000, 20000]"})
      expect_refused(
          made(zarray("\"chunks\": " + chunks + ", \"compressor\": {\"id\": \"" + compressor + "\"}"),
               {{"0.0", bytes}}),
          "0.0: ");
  }
}

TEST_F(zarr, metadata_is_not_trusted) {
  const struct {
    std::string metadata, message;
  } cases[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"{", "not a JSON object"},
      {std::string(100'000, '['), "not a JSON object"},
      {zarray("\"zarr_format\": 3"), "'zarr_format' is '3', not 2"},
      {zarray("\"shape\": [3, -5]"), "'shape'"},
      {zarray("\"shape\": [3, 5.5]"), "'shape'"},
      {zarray("\"shape\": \"35\""), "'shape'"},
      {zarray("\"shape\": [3, 99999999999999999999]"), "'shape'"},
      {zarray("\"shape\": [4611686018427387904, 4611686018427387904]"), "more pixels than can be addressed"},
      {zarray("\"shape\": [3]"), "1 axes, and 'chunks' 2"},
      {zarray("\"shape\": [1, 3, 4, 3, 5], \"chunks\": [1, 1, 1, 2, 3]"), "axis 1 has the size 3"},
      {zarray("\"chunks\": [0, 3]"), "'chunks'"},
      {zarray("\"chunks\": [100000, 100000]"), "more than the 1073741824 bytes"},
      {zarray("\"chunks\": [4611686018427387904, 4611686018427387904]"), "more than the 1073741824 bytes"},
      {zarray("\"dtype\": \"<c16\""), "'\"<c16\"'"},
      {zarray("\"dtype\": [[\"a\", \"<u2\"]]"), "'dtype'"},
      {zarray("\"dtype\": \"\""), "'dtype'"},
      {zarray("\"order\": \"F\""), "only C"},
      {zarray("\"filters\": [{\"id\": \"delta\"}]"), "delta"},
      {zarray("\"compressor\": {\"id\": \"lzma\"}"), "'lzma' cannot be read"},
      {zarray("\"compressor\": 5"), "'id'"},
      {zarray("\"fill_value\": 70000"), "'fill_value' is '70000', not a value of u16"},
      {zarray("\"fill_value\": -1"), "'fill_value'"},
      {zarray("\"fill_value\": \"NaN\""), "'fill_value'"},
      {zarray("\"dimension_separator\": \"..\""), "'dimension_separator'"},
  };
  for (const auto& [metadata, message] : cases) {
    SCOPED_TRACE(metadata.substr(0, 200));
    expect_refused(made(metadata, {{"0.0", chunk}}), message);
  }
  const auto path = made(zarray(), {{"0.0", chunk + "x"}});
  expect_refused(path, "the chunk has 13 bytes, not the 12");
  fs::remove(path / "0.0");
  fs::create_directory(path / "0.0");
  expect_refused(path, "0.0: is not a file");
  fs::remove(path / ".zarray");
  expect_refused(path, "is a directory without");
  put(path / "zarr.json", "{}");
  expect_refused(path, "version 3");
}

TEST_F(zarr, groups_with_levels) {
  const auto path = made(zarray(), {});
  fs::remove(path / ".zarray");
  put(path / "0" / ".zarray", zarray("\"shape\": [1, 2, 1, 3, 5], \"chunks\": [1, 1, 1, 2, 3], "
                                     "\"dimension_separator\": \"/\""));
  put(path / "0" / "0" / "1" / "0" / "0" / "0", chunk);
  put(path / "1" / ".zarray", zarray("\"shape\": [1, 2, 1, 1, 2], \"chunks\": [1, 1, 1, 2, 3]"));
  const auto attributes = [&](const std::string& second) {
    put(path / ".zattrs",
        R"({"multiscales": [{"version": "0.4", "axes": [{"name": "t", "type": "time"},
        {"name": "c", "type": "channel"}, {"name": "z", "type": "space"},
        {"name": "y", "type": "space", "unit": "micrometer"},
        {"name": "x", "type": "space", "unit": "micrometer"}],
        "datasets": [
        {"path": "0", "coordinateTransformations": [{"type": "scale", "scale": [1, 1, 1, 500, 250]}]},
        {"path": ")" +
            second + R"("}]}]})");
  };
  attributes("1");
  const auto source = open_source(path);
  EXPECT_EQ(to_string(source->form().shape), "3 x 5");
  EXPECT_EQ(source->form().channels, 2);
  ASSERT_TRUE(source->form().info.spacing);
  EXPECT_EQ((*source->form().info.spacing)[0], 0.5);
  EXPECT_EQ((*source->form().info.spacing)[1], 0.25);
  const auto pixels = read_all(path);
  const const_image_view both = pixels;
  EXPECT_EQ(values<std::uint16_t>(copy_of(both.channel(1))), expected);
  EXPECT_EQ(values<std::uint16_t>(copy_of(both.channel(0))), std::vector<std::uint16_t>(15, 7));
  expect_regions(*source, pixels);
  EXPECT_EQ(to_string(read_all(path, {.level = 1}).shape()), "1 x 2");
  expect_refused(path, "levels are 0 to 1", {.level = 2});
  expect_refused(path, "levels are 0 to 1", {.level = -1});
  for (const std::string outside : {"../elsewhere", "/etc", "a/../.."}) {
    attributes(outside);
    expect_refused(path, "leaves the group", {.level = 1});
  }
  put(path / ".zattrs", "{}");
  expect_refused(path, "no 'multiscales'");
}

TEST_F(zarr, round_trips) {
  const struct {
    dtype type;
    extents shape;
    int channels;
    std::array<std::int64_t, 3> piece;
  } cases[] = {{dtype::u8, {1500, 1100}, 1, {1, 1024, 1024}},
               {dtype::i16, {30, 1025}, 3, {1, 30, 2048}},
               {dtype::f64, {70, 65, 3}, 1, {64, 64, 3}},
               {dtype::boolean, {65, 2, 3}, 2, {64, 2, 3}},
               {dtype::u64, {3, 4}, 1, {1, 3, 4}},
               {dtype::u16, {0, 4}, 1, {1, 1, 4}}};
  for (const std::string name : {"out.zarr", "out.ome.zarr"})
    for (const auto& [type, shape, channels, piece] : cases) {
      SCOPED_TRACE(name + " " + to_string(shape) + " " + std::string(name_of(type)));
      const auto pixels = sample(type, shape, channels);
      const auto path = directory() / name;
      fs::remove_all(path);
      const auto sink = create_sink(path, form_of(pixels, {{{2, 0.5, 0.25}}}));
      write_pieces(*sink, pixels, piece);
      sink->commit();
      const bool ome = contains(name, "ome");
      const auto source = open_source(path, {.channels_last = !ome && channels > 1});
      EXPECT_EQ(source->chunk(), sink->chunk());
      expect_regions(*source, pixels);
      ASSERT_EQ(source->form().info.spacing.has_value(), ome);
      if (ome) {
        EXPECT_EQ((*source->form().info.spacing)[1], 0.5);
      }
    }
}

/// The layout on disk, without the reader of the library.
TEST_F(zarr, chunks_lie_as_the_specification_says) {
  const auto pixels = sample(dtype::u16, {1030, 3}, 2);
  const auto value = [&](std::int64_t y, std::int64_t x, int c) {
    return pixels.pixels<std::uint16_t>()[static_cast<std::size_t>((y * 3 + x) * 2 + c)];
  };
  const auto stored = [](const std::string& bytes, std::size_t index) {
    return static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[2 * index]) |
                                      static_cast<unsigned char>(bytes[2 * index + 1]) << 8);
  };
  for (const std::string name : {"out.zarr", "out.ome.zarr"}) {
    const auto path = directory() / name;
    write_image(path, pixels);
    const bool ome = contains(name, "ome");
    const auto last = load(path / (ome ? "0/0/1/0" : "1.0.0"));
    ASSERT_EQ(last.size(), 1024u * 3 * 2 * 2);
    EXPECT_EQ(load(path / (ome ? "0/0/0/0" : "0.0.0")).size(), last.size());
    for (std::int64_t y = 0; y < 6; ++y)
      for (std::int64_t x = 0; x < 3; ++x)
        for (int c = 0; c < 2; ++c)
          EXPECT_EQ(
              stored(last, static_cast<std::size_t>(ome ? (c * 1024 + y) * 3 + x : (y * 3 + x) * 2 + c)),
              value(1024 + y, x, c));
    // Beyond the image.
    EXPECT_EQ(stored(last, 1023), 0);
  }
}

TEST_F(zarr, pyramids) {
  const auto path = directory() / "out.ome.zarr";
  const auto write = [&](const image& pixels, bool labels) {
    fs::remove_all(path);
    const auto sink =
        create_sink(path, form_of(pixels, {{{0.5, 0.25, 1}}}), {.pyramid = true, .labels = labels});
    sink->write(all_of(pixels.shape()), pixels.data());
    sink->commit();
  };
  const auto pixels = sample(dtype::i16, {2051, 3}, 2);
  const auto at = [](const image& of, std::int64_t y, std::int64_t x, int c) {
    return static_cast<int>(
        of.pixels<std::int16_t>()[static_cast<std::size_t>((y * of.shape().width() + x) * 2 + c)]);
  };
  for (const bool labels : {false, true}) {
    write(pixels, labels);
    expect_same(read_all(path), pixels);
    const auto half = read_all(path, {.level = 1});
    ASSERT_EQ(to_string(half.shape()), "1026 x 2");
    EXPECT_EQ(to_string(read_all(path, {.level = 2}).shape()), "513 x 1");
    expect_refused(path, "levels are 0 to 2", {.level = 3});
    EXPECT_EQ((*open_source(path, {.level = 1})->form().info.spacing)[1], 0.5);
    for (const std::int64_t y : {0, 100, 511, 512, 1024})
      for (int c = 0; c < 2; ++c) {
        const auto first = at(pixels, 2 * y, 0, c);
        const auto sum =
            first + at(pixels, 2 * y, 1, c) + at(pixels, 2 * y + 1, 0, c) + at(pixels, 2 * y + 1, 1, c);
        EXPECT_EQ(at(half, y, 0, c), labels ? first : static_cast<int>(std::floor((sum + 2) / 4.0)));
      }
    // One row and one column remain at the end.
    EXPECT_EQ(at(half, 1025, 1, 1), at(pixels, 2050, 2, 1));
  }
  EXPECT_TRUE(contains(message_of<usage_error>([&] {
                         create_sink(directory() / "out.zarr", form_of(pixels), {.pyramid = true});
                       }),
                       ".ome.zarr"));
  EXPECT_FALSE(fs::exists(directory() / "out.zarr"));
}

TEST_F(zarr, whole_images) {
  const auto pixels = sample(dtype::u16, {20, 30});
  // A name may end in a slash.
  for (const std::string name : {"out.zarr", "out.zarr/"}) {
    write_image(directory() / name, pixels);
    expect_same(read_image(directory() / name).pixels, pixels);
  }
}

TEST_F(zarr, directories_appear_complete_or_not_at_all) {
  const auto pixels = sample(dtype::u16, {20, 30});
  const auto path = directory() / "out.zarr";
  for (const auto& name : listing()) fs::remove_all(directory() / name);
  {
    const auto sink = create_sink(path, form_of(pixels));
    sink->write(all_of(pixels.shape()), pixels.data());
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(listing(), std::vector<std::string>{});
  for (int i = 0; i < 2; ++i) {
    const auto sink = create_sink(path, form_of(pixels));
    sink->write(all_of(pixels.shape()), pixels.data());
    sink->commit();
  }
  EXPECT_EQ(listing(), std::vector<std::string>{"out.zarr"});
  expect_same(read_all(path), pixels);
  // What is no Zarr directory is not replaced.
  fs::remove_all(path);
  fs::create_directory(path);
  put(path / "letter.txt", "text");
  EXPECT_TRUE(
      contains(message_of<io_error>([&] { create_sink(path, form_of(pixels)); }), "is something else"));
  EXPECT_EQ(load(path / "letter.txt"), "text");
  EXPECT_EQ(listing(), std::vector<std::string>{"out.zarr"});
  fs::remove_all(path);
}

TEST_F(zarr, regions_are_whole_chunks) {
  const auto pixels = sample(dtype::u8, {1100, 1100});
  const auto sink = create_sink(directory() / "out.zarr", form_of(pixels));
  const auto refuse = [&](const image_region& region) {
    EXPECT_TRUE(
        contains(message_of<usage_error>([&] { sink->write(region, pixels.data()); }), "whole chunks"));
  };
  refuse({{0, 0, 0}, {1, 100, 1100}});
  refuse({{0, 0, 5}, {1, 1024, 1095}});
}

TEST_F(zarr, identities_follow_the_content) {
  const auto path = made(zarray(), {{"0.0", chunk}});
  const auto first = open_source(path)->identity();
  EXPECT_EQ(open_source(path)->identity(), first);
  put(path / "1.1", chunk);
  EXPECT_NE(open_source(path)->identity(), first);
}

}  // namespace
}  // namespace macareu::test
