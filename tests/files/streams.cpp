// Pipes and devices, which cannot be sought and have no size.
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "support.hpp"

namespace macareu::test {
namespace {

std::filesystem::path pipe_named(const std::string& name) {
  const auto path = fresh(name);
  EXPECT_EQ(::mkfifo(path.c_str(), 0666), 0);
  return path;
}

image_file read_through_pipe(const std::string& name, const std::string& bytes,
                             const read_options& options = {}) {
  const auto pipe = pipe_named(name);
  std::jthread writer([&] { std::ofstream(pipe, std::ios::binary) << bytes; });
  return read_image(pipe, options);
}

std::string written(const std::string& name, const image& pixels) {
  write_image(fresh(name), pixels);
  return load(directory() / name);
}

TEST(streams, every_built_in_format_is_read_from_a_pipe) {
  // More than a pipe holds at once.
  const auto pixels = sample(dtype::u16, {300, 400});
  const auto volume = sample(dtype::u16, {3, 200, 300});
  for (const std::string name : {"pipe.npy", "pipe.pgm", "pipe.nrrd", "pipe.mha"}) {
    expect_same(read_through_pipe(name, written(name, pixels)).pixels, pixels);
    expect_same(read_through_pipe(name, written(name, volume)).pixels, volume);
  }
  expect_same(read_through_pipe("pipe.raw", written("pipe.raw", pixels),
                                {.raw = raw_layout{.type = dtype::u16, .shape = pixels.shape()}})
                  .pixels,
              pixels);
}

TEST(streams, without_extension_the_first_bytes_tell) {
  const auto pixels = sample(dtype::u16, {3, 4});
  for (const std::string name : {"file.npy", "file.pgm", "file.nrrd", "file.mha"})
    expect_same(read_through_pipe("pipe", written(name, pixels)).pixels, pixels);
  expect_same(read_through_pipe("pipe", written("file.raw", pixels),
                                {.raw = raw_layout{.type = dtype::u16, .shape = pixels.shape()}})
                  .pixels,
              pixels);
  const auto message = message_of<io_error>([] { read_through_pipe("pipe", "something else"); });
  EXPECT_TRUE(contains(message, ".npy")) << message;
}

TEST(streams, a_false_claim_costs_no_memory) {
  const auto message =
      message_of<io_error>([] { read_through_pipe("pipe.pgm", "P5\n2000000000 2000000000\n255\n12"); });
  EXPECT_TRUE(contains(message, "but the file has 2")) << message;
  EXPECT_TRUE(contains(message_of<io_error>([] { read_through_pipe("pipe.npy", ""); }), "byte 0"));
}

TEST(streams, outputs_go_to_a_pipe_at_the_commit) {
  const auto pixels = sample(dtype::u16, {300, 400});
  const auto pipe = pipe_named("out.npy");
  const auto text_pipe = pipe_named("out.csv");
  output_files outputs;
  outputs.add(pipe, pixels);
  outputs.add_text(text_pipe, "a,b\n");
  std::string got;
  std::string text;
  {
    std::jthread reader([&] { got = load(pipe); });
    std::jthread text_reader([&] { text = load(text_pipe); });
    outputs.commit();
  }
  EXPECT_EQ(text, "a,b\n");
  expect_same(read_image(save("got.npy", got)).pixels, pixels);
}

TEST(streams, devices_get_npy) {
  output_files outputs;
  outputs.add("/dev/null", sample(dtype::u8, {3, 4}));
  outputs.add_text("/dev/null", "text");
  outputs.commit();
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace macareu::test
