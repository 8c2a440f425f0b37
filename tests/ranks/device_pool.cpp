// Several devices of one process: ranks on threads, with sources and sinks that they share.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>
#include <macareu/pieces.hpp>

#include "catalogue/device_pool.hpp"
#include "catalogue/work_image.hpp"
#include "support/dice.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

const std::vector<std::string> three{"cuda:0", "cuda:1", "cuda:0"};

/// Calls that come while another one is under way.
class not_shared {
 public:
  class use {
   public:
    explicit use(not_shared& of) : of_(of) { of_.clashes_ += of_.users_++ > 0; }
    ~use() { --of_.users_; }
    use(const use&) = delete;
    use& operator=(const use&) = delete;

   private:
    not_shared& of_;
  };
  int clashes() const { return clashes_; }

 private:
  std::atomic<int> users_ = 0, clashes_ = 0;
};

class watched_source final : public image_source, public not_shared {
 public:
  explicit watched_source(const const_image_view& pixels) : inner_(source_of(pixels)) {}
  const source_form& form() const override { return inner_->form(); }
  void read(const image_region& from, void* to) override {
    const use one(*this);
    inner_->read(from, to);
  }

 private:
  std::unique_ptr<image_source> inner_;
};

class watched_sink final : public image_sink, public not_shared {
 public:
  explicit watched_sink(const image_view& pixels) : inner_(sink_to(pixels)) {}
  void write(const image_region& to, const void* from) override {
    const use one(*this);
    inner_->write(to, from);
  }
  void commit() override {}

 private:
  std::unique_ptr<image_sink> inner_;
};

TEST(device_pool, names) {
  EXPECT_EQ(devices_of_pool({.device = "cuda:0,cuda:1,cuda:0"}), three);
  for (const auto* device : {"auto", "cpu", "cuda", "cuda:1", "cuda:0,cpu", "cuda:0,"})
    EXPECT_TRUE(devices_of_pool({.device = device}).empty()) << device;
}

TEST(device_pool, shares_an_image) {
  for (const auto* const name : {"label", "fill_holes", "distance_transform"}) {
    const auto& about = *find_operator(name);
    dice from(seed_of("device_pool", about.name.size()));
    image pixels(dtype::u8, {90, 70});
    for (auto& pixel : pixels.pixels<std::uint8_t>()) pixel = static_cast<std::uint8_t>(from.once_in(2));
    const std::vector<const_image_view> views{pixels};
    run_report whole;
    const auto expected = run_operator(about, views, {}, {.device = "cpu", .report = &whole});
    image found(expected[0].type(), expected[0].shape());
    watched_source source(pixels);
    watched_sink sink(found);
    guarded_source read(source);
    guarded_sink written(sink);
    run_report report;
    std::atomic<int> ranks_seen = 0;
    on_threads(three, [&](ranks& own) {
      ++ranks_seen;
      EXPECT_EQ(own.host(), three[static_cast<std::size_t>(own.rank())]);
      EXPECT_EQ(own.local_size(), 3);
      context how{.device = "cpu", .threads = 1};
      if (own.is_first()) how.report = &report;
      run_in_pieces(about, std::array<image_source*, 1>{&read}, std::array<image_sink*, 1>{&written}, {}, how,
                    {.size = {1, 8, 16}, .shared_by = &own});
    });
    EXPECT_EQ(ranks_seen, 3);
    EXPECT_TRUE(same_bits(found, expected[0])) << name;
    EXPECT_EQ(report.count, whole.count);
    EXPECT_EQ(source.clashes() + sink.clashes(), 0);
  }
}

TEST(device_pool, an_error_of_one_device_is_told) {
  try {
    on_threads(three, [&](ranks& own) {
      if (own.rank() == 1) throw device_error("no memory");
      own.meet();
    });
    FAIL();
  } catch (const device_error& e) {
    EXPECT_STREQ(e.what(), "rank 1 on cuda:1: no memory");
  }
}

TEST(device_pool, an_error_after_the_work_is_told) {
  EXPECT_THROW(on_threads(three,
                          [&](ranks& own) {
                            own.meet();
                            if (own.is_first()) throw io_error("no space");
                          }),
               io_error);
}

/// An image between two runs takes the files of the first.
TEST(device_pool, hands_over_work_files) {
  const auto folder = std::filesystem::temp_directory_path() / ("macareu-pool-" + std::to_string(::getpid()));
  dice from(seed_of("work files", 0));
  image pixels(dtype::u8, {90, 70});
  for (auto& pixel : pixels.pixels<std::uint8_t>()) pixel = static_cast<std::uint8_t>(from.once_in(2));
  const auto source = source_of(pixels);
  guarded_source read(*source);
  const auto expected = label(pixels, {}, {.device = "cpu"});
  const auto made = make_work_image({expected.type(), expected.shape()});
  on_threads(three, [&](ranks& own) {
    run_in_pieces(*find_operator("label"), std::array<image_source*, 1>{&read},
                  std::array<image_sink*, 1>{made.sink.get()}, {}, {.device = "cpu", .threads = 1},
                  {.size = {1, 8, 16}, .folder = folder, .shared_by = &own});
  });
  image found(expected.type(), expected.shape());
  made.source->read({{0, 0, 0}, {1, 90, 70}}, found.data());
  EXPECT_TRUE(same_bits(found, expected));
  std::filesystem::remove_all(folder);
}

TEST(device_pool, knows_what_was_written) {
  image pixels(dtype::u8, {4, 6});
  const auto inner = sink_to(pixels);
  guarded_sink sink(*inner);
  const image_region half{{0, 0, 0}, {1, 2, 6}}, other{{0, 2, 0}, {1, 2, 6}};
  const std::vector<std::uint8_t> ones(12, 1);
  sink.write(half, ones.data());
  EXPECT_TRUE(sink.was_written(half));
  EXPECT_FALSE(sink.was_written(other));
}

}  // namespace
}  // namespace macareu::test
