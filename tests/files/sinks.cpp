// Files that are written by regions equal those that are written at once, and appear complete or not at all.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <optional>

#include "files/regions/write_source.hpp"
#include "regions.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

class sinks : public testing::Test {
 protected:
  /// Other tests' files must not be in the way.
  void SetUp() override {
    for (const auto& name : listing()) fs::remove_all(directory() / name);
  }
  fs::path at(const std::string& name) { return directory() / name; }
  image pixels_ = sample(dtype::u16, {20, 30});
};

TEST_F(sinks, arrays_of_every_type_rank_and_channel_count) {
  const std::array<std::int64_t, 3> pieces[] = {{2, 3, 4}, {1, 2, 13}, {9, 9, 99}};
  std::size_t next = 0;
  for (const std::string extension : {".npy", ".nrrd", ".mha", ".raw"})
    for (const auto type : all_types)
      for (const extents& shape : {extents{9, 13}, extents{1, 5}, extents{6, 1}, extents{4, 5, 7}})
        for (const int channels : {1, 3}) {
          const auto pixels = sample(type, shape, channels);
          const metadata info{{{2, 0.5, 0.25}}};
          write_image(fresh("whole" + extension), pixels, info);
          const auto sink = create_sink(fresh("pieces" + extension), form_of(pixels, info));
          write_pieces(*sink, pixels, pieces[next++ % 3]);
          sink->commit();
          ASSERT_EQ(load(at("pieces" + extension)), load(at("whole" + extension)));
        }
}

TEST_F(sinks, pictures_and_maps) {
  for (const std::string extension : {".pgm", ".png", ".tif", ".jpg"}) {
    if (!writes(extension)) continue;
    for (const auto type : {dtype::boolean, dtype::u8, dtype::u16}) {
      if (extension == ".jpg" && type == dtype::u16) continue;
      const auto pixels = sample(type, {50, 70});
      write_image(fresh("whole" + extension), pixels);
      const auto sink = create_sink(fresh("pieces" + extension), form_of(pixels));
      write_pieces(*sink, pixels, {1, 16, 16});
      sink->commit();
      expect_same(read_image(at("pieces" + extension)).pixels, read_image(at("whole" + extension)).pixels);
    }
  }
  const auto volume = sample(dtype::u16, {3, 20, 30});
  const auto sink = create_sink(at("volume.pgm"), form_of(volume));
  write_pieces(*sink, volume, {2, 16, 16});
  sink->commit();
  expect_same(read_image(at("volume.pgm")).pixels, volume);
}

TEST_F(sinks, empty_images) {
  create_sink(at("empty.npy"), {dtype::u8, {0, 5}})->commit();
  EXPECT_EQ(to_string(read_image(at("empty.npy")).pixels.shape()), "0 x 5");
}

TEST_F(sinks, nothing_remains_without_a_commit) {
  save("a.npy", "old");
  for (const std::string name : {"a.npy", "a.pgm"}) {
    const auto sink = create_sink(at(name), form_of(pixels_));
    write_pieces(*sink, pixels_, {1, 8, 8});
  }
  EXPECT_EQ(listing(), std::vector<std::string>{"a.npy"});
  EXPECT_EQ(load(at("a.npy")), "old");
}

TEST_F(sinks, temporaries_of_killed_processes_are_removed) {
  const auto temporary = [](const std::string& stem, int process) {
    return "." + stem + ".macareu-" + std::to_string(process) + "-7.tmp.npy";
  };
  constexpr int beyond_all = (1 << 22) + 1;  // Linux has no such process
  const std::vector<std::string> others{temporary("a", ::getpid()), temporary("b", beyond_all), "a.npy"};
  for (const auto& name : others) save(name, "old");
  save(temporary("a", beyond_all), "old");
  create_sink(at("a.npy"), form_of(pixels_));
  auto left = listing();
  std::ranges::sort(left);
  auto expected = others;
  std::ranges::sort(expected);
  EXPECT_EQ(left, expected);
}

TEST_F(sinks, existing_files_and_links_stay_until_the_commit) {
  fs::create_directory(at("elsewhere"));
  save("elsewhere/target.npy", "old");
  fs::create_symlink("elsewhere/target.npy", at("link.npy"));
  const auto sink = create_sink(at("link.npy"), form_of(pixels_));
  write_pieces(*sink, pixels_, {1, 8, 8});
  EXPECT_EQ(load(at("link.npy")), "old");
  const auto old = ::umask(027);
  sink->commit();
  ::umask(old);
  EXPECT_TRUE(fs::is_symlink(at("link.npy")));
  expect_same(read_image(at("elsewhere/target.npy")).pixels, pixels_);
}

TEST_F(sinks, missing_pixels_are_refused) {
  for (const std::string name : {"a.npy", "a.pgm"}) {
    const auto sink = create_sink(at(name), form_of(pixels_));
    sink->write({{0, 0, 0}, {1, 10, 30}}, pixels_.data());
    EXPECT_EQ(message_of<usage_error>([&] { sink->commit(); }),
              at(name).string() + ": 300 pixels were not written: each must be written once");
    EXPECT_TRUE(contains(message_of<usage_error>([&] {
                           sink->write({{0, 15, 0}, {1, 10, 30}}, pixels_.data());
                         }),
                         "20 x 30"));
  }
  EXPECT_EQ(listing(), std::vector<std::string>{});
}

TEST_F(sinks, a_finished_file_is_adopted) {
  const auto old = ::umask(027);
  const auto sink = create_sink(at("a.npy"), form_of(pixels_));
  ::umask(old);
  const auto header = sink->header();
  ASSERT_TRUE(header);
  const std::string raster(static_cast<const char*>(static_cast<const void*>(pixels_.data())),
                           pixels_.bytes());
  const auto done = save("work", *header + raster);
  fs::permissions(done, fs::perms(0600));
  const auto small = save("small", *header + raster.substr(1));
  EXPECT_TRUE(contains(message_of<usage_error>([&] { sink->adopt(small); }), "1327 bytes"));
  fs::remove(small);
  sink->adopt(done);
  sink->commit();
  EXPECT_EQ(listing(), std::vector<std::string>{"a.npy"});
  expect_same(read_image(at("a.npy")).pixels, pixels_);
  EXPECT_EQ(fs::status(at("a.npy")).permissions(), fs::perms(0640));
  // Formats that are written front to back take the pixels alone.
  const auto staged = create_sink(at("a.pgm"), form_of(pixels_));
  ASSERT_EQ(staged->header(), "");
  const auto short_by_one = save("small", raster.substr(1));
  EXPECT_TRUE(contains(message_of<usage_error>([&] { staged->adopt(short_by_one); }), "1199 bytes"));
  fs::remove(short_by_one);
  staged->adopt(save("work", raster));
  staged->commit();
  EXPECT_EQ(listing(), (std::vector<std::string>{"a.npy", "a.pgm"}));
  expect_same(read_image(at("a.pgm")).pixels, pixels_);
}

/// 0 where there is none.
dev_t device_of(const fs::path& folder) {
  struct stat about {};
  return ::stat(folder.c_str(), &about) == 0 ? about.st_dev : 0;
}

TEST_F(sinks, a_finished_file_is_adopted_from_another_file_system) {
  const auto is_other = [here = device_of(directory())](const fs::path& folder) {
    return device_of(folder) != 0 && device_of(folder) != here && ::access(folder.c_str(), W_OK) == 0;
  };
  const std::array<fs::path, 3> folders{"/dev/shm", fs::current_path(), "/var/tmp"};
  const auto other = std::ranges::find_if(folders, is_other);
  if (other == folders.end()) GTEST_SKIP() << "no other file system";
  const auto sink = create_sink(at("a.npy"), form_of(pixels_));
  const auto done = *other / ("macareu-adopted-" + std::to_string(::getpid()));
  std::ofstream(done, std::ios::binary)
      << *sink->header()
      << std::string_view(static_cast<const char*>(static_cast<const void*>(pixels_.data())),
                          pixels_.bytes());
  sink->adopt(done);
  sink->commit();
  EXPECT_FALSE(fs::exists(done));
  expect_same(read_image(at("a.npy")).pixels, pixels_);
}

TEST_F(sinks, files_become_chunks) {
  constexpr std::int64_t side = 1024;
  const extents shape{side + 2, side + 3};
  image pixels(dtype::u16, shape);
  std::uint16_t next = 0;
  for (auto& pixel : pixels.pixels<std::uint16_t>()) pixel = static_cast<std::uint16_t>(next += 77);
  for (const std::string name : {"a.zarr", "a.ome.zarr"}) {
    std::unique_ptr<image_sink> sink;
    const auto old = ::umask(027);
    try {
      sink = create_sink(at(name), form_of(pixels));
    } catch (const usage_error&) {
      ::umask(old);
      GTEST_SKIP() << "this build has no Zarr";
    }
    ::umask(old);
    ASSERT_TRUE(sink->has_chunk_files());
    ASSERT_EQ(sink->chunk(), (std::array<std::int64_t, 3>{1, side, side}));
    std::vector<fs::path> files;
    for (std::int64_t y = 0; y < shape.height(); y += side)
      for (std::int64_t x = 0; x < shape.width(); x += side) {
        const image_region chunk{{0, y, x},
                                 {1, std::min(side, shape.height() - y), std::min(side, shape.width() - x)}};
        std::string raster(side * side * sizeof(std::uint16_t), '\0');
        for (std::int64_t row = 0; row < chunk.size[1]; ++row)
          std::memcpy(raster.data() + row * side * 2,
                      pixels.pixels<std::uint16_t>().data() + (y + row) * shape.width() + x,
                      static_cast<std::size_t>(chunk.size[2] * 2));
        EXPECT_FALSE(sink->link_chunk(chunk, at("missing")));
        EXPECT_FALSE(sink->link_chunk(chunk, save("short", raster.substr(1))));
        EXPECT_FALSE(sink->link_chunk(whole_of(shape), save("short", raster)));
        fs::remove(at("short"));
        files.push_back(save("work" + std::to_string(files.size()), raster));
        fs::permissions(files.back(), fs::perms(0600));
        EXPECT_TRUE(sink->link_chunk(chunk, files.back()));
      }
    sink->commit();
    for (const auto& file : files) {
      EXPECT_EQ(fs::hard_link_count(file), 2);
      EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
      fs::remove(file);
    }
    expect_same(read_image(at(name)).pixels, pixels);
    fs::remove_all(at(name));
  }
  const auto colour = create_sink(at("c.zarr"), {dtype::u8, {4, 4}, 3});
  EXPECT_FALSE(colour->has_chunk_files());  // channels come last in it, not one after another
}

TEST_F(sinks, what_does_not_fit_is_refused) {
  EXPECT_TRUE(contains(message_of<usage_error>([&] {
                         create_sink(at("a.pgm"), {dtype::f32, {2, 2}});
                       }),
                       "cannot hold pixels of f32"));
  EXPECT_TRUE(contains(message_of<usage_error>([&] {
                         create_sink(at("a.xyz"), {dtype::u8, {2, 2}});
                       }),
                       "cannot be written"));
  EXPECT_EQ(message_of<io_error>([&] { create_sink(at("missing") / "a.npy", form_of(pixels_)); }),
            (at("missing") / "a.npy").string() + ": No such file or directory");
  fs::create_directory(at("folder.npy"));
  EXPECT_EQ(message_of<io_error>([&] { create_sink(at("folder.npy"), form_of(pixels_)); }),
            at("folder.npy").string() + ": is a directory");
  EXPECT_EQ(listing(), std::vector<std::string>{"folder.npy"});
}

TEST_F(sinks, a_full_disk_names_the_file) {
  // A limit of file sizes stands for the disk.
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  std::vector<std::string> messages;
  for (const std::string name : {"a.npy", "a.pgm"})
    messages.push_back(message_of<io_error>([&] {
      const auto sink = create_sink(at(name), form_of(pixels_));
      write_pieces(*sink, pixels_, {1, 8, 8});
      sink->commit();
    }));
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(contains(messages[0], at("a.npy").string() + ": File too large")) << messages[0];
  EXPECT_TRUE(contains(messages[1], at("a.pgm").string() + ": File too large")) << messages[1];
  EXPECT_EQ(listing(), std::vector<std::string>{});
}

/// libvips crashes where it is told that a level of a pyramid could not be written.
TEST_F(sinks, a_full_disk_names_the_pyramid) {
  if (!has_vips()) GTEST_SKIP() << "this build has no libvips";
  image labels(dtype::u32, {700, 900});
  std::uint32_t label = 1;
  for (auto& pixel : labels.pixels<std::uint32_t>()) pixel = label = label * 1664525 + 1013904223;
  const auto source = source_of(labels);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  std::vector<std::string> messages;
  for (const rlim_t size : {1000, 100000, 2600000})
    for (const bool compressed : {true, false}) {
      const rlimit small{size, old.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
      messages.push_back(message_of<io_error>(
          [&] { files::write_source(at("a.ome.tif"), *source, {.pyramid = true, .labels = compressed}); }));
      ::setrlimit(RLIMIT_FSIZE, &old);
    }
  std::signal(SIGXFSZ, handler);
  for (const auto& message : messages) EXPECT_EQ(message, at("a.ome.tif").string() + ": File too large");
  EXPECT_EQ(listing(), std::vector<std::string>{});
  files::write_source(at("a.ome.tif"), *source, {.pyramid = true, .labels = true});
  expect_same(read_image(at("a.ome.tif")).pixels, labels);
}

/// TMPDIR until the end of a test.
class temporary_files {
 public:
  explicit temporary_files(const fs::path& folder) {
    if (const char* const old = std::getenv("TMPDIR")) old_ = old;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~temporary_files() { old_ ? ::setenv("TMPDIR", old_->c_str(), 1) : ::unsetenv("TMPDIR"); }
  temporary_files(const temporary_files&) = delete;
  temporary_files& operator=(const temporary_files&) = delete;

 private:
  std::optional<std::string> old_;
};

TEST_F(sinks, pyramids_need_no_temporary_files) {
  if (!has_vips()) GTEST_SKIP() << "this build has no libvips";
  const auto pixels = sample(dtype::u8, {700, 900});
  const temporary_files nowhere(at("nowhere"));
  for (const bool labels : {false, true}) {
    files::write_source(at("a.tif"), *source_of(pixels), {.pyramid = true, .labels = labels});
    expect_same(read_image(at("a.tif")).pixels, pixels);
    EXPECT_EQ(read_image(at("a.tif"), {.level = 1}).pixels.shape(), (extents{350, 450}));
  }
}

/// An image whose disk fails from a row on.
class failing_source final : public image_source {
 public:
  failing_source(const extents& shape, std::int64_t good_rows)
      : form_{dtype::u8, shape}, good_rows_(good_rows) {}
  const source_form& form() const override { return form_; }
  std::array<std::int64_t, 3> chunk() const override { return {1, 128, 0}; }
  void read(const image_region& from, void* to) override {
    if (from.first[1] + from.size[1] > good_rows_) throw io_error("disk: read error");
    std::memset(to, 7, static_cast<std::size_t>(from.pixels()));
  }

 private:
  source_form form_;
  std::int64_t good_rows_;
};

/// Smaller levels of large pyramids go to temporary files; there is no room for any in /proc.
TEST_F(sinks, large_pyramids_are_refused_before_they_are_read) {
  if (!has_vips() || !fs::exists("/proc/self"))
    GTEST_SKIP() << "this build has no libvips, or there is no /proc";
  const temporary_files full("/proc");
  failing_source large({30000, 40000}, 0);
  const auto message =
      message_of<io_error>([&] { files::write_source(at("a.tif"), large, {.pyramid = true}); });
  EXPECT_TRUE(contains(message, at("a.tif").string() + ": smaller levels need 4")) << message;
  EXPECT_TRUE(contains(message, "in /proc, which has 0 MB left: set TMPDIR")) << message;
  EXPECT_EQ(listing(), std::vector<std::string>{});
}

TEST_F(sinks, errors_of_sources_are_those_of_pyramids) {
  if (!has_vips()) GTEST_SKIP() << "this build has no libvips";
  // Bands of 64 MiB: the first is good, and fills several levels.
  failing_source source({7000, 10000}, 6700);
  EXPECT_EQ(message_of<io_error>([&] { files::write_source(at("a.tif"), source, {.pyramid = true}); }),
            "disk: read error");
  EXPECT_EQ(listing(), std::vector<std::string>{});
}

TEST_F(sinks, pipes_are_written_at_the_commit) {
  const auto pipe = at("pipe.npy");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto sink = create_sink(pipe, form_of(pixels_), {.scratch = directory()});
  write_pieces(*sink, pixels_, {1, 8, 8});
  auto bytes = std::async(std::launch::async, [&] { return load(pipe); });
  sink->commit();
  write_image(at("whole.npy"), pixels_);
  EXPECT_EQ(bytes.get(), load(at("whole.npy")));
}

}  // namespace
}  // namespace macareu::test
