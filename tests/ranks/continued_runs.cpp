// Runs in pieces that another number of ranks continues.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>
#include <macareu/pieces.hpp>

#include "support/dice.hpp"
#include "support/same.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

constexpr int all_reads = std::numeric_limits<int>::max(), any_rank = -1;

/// An image whose disk fails from some read on, which `reads` counts down to: what is read ahead may not be
/// used.
class failing_source final : public image_source {
 public:
  failing_source(const image& pixels, std::atomic<int>& reads) : of_(source_of(pixels)), reads_(reads) {}
  const source_form& form() const override { return of_->form(); }
  std::string identity() const override { return "drawn"; }
  void read(const image_region& from, void* to) override {
    if (reads_-- <= 0) throw io_error("disk: read error");
    of_->read(from, to);
  }

 private:
  std::unique_ptr<image_source> of_;
  std::atomic<int>& reads_;
};

/// A run in a folder of its own that ranks begin, and others continue.
class continued_run {
 public:
  continued_run(std::string_view name, std::vector<const image*> inputs, piece_options options)
      : about_(*find_operator(name)), inputs_(std::move(inputs)), options_(std::move(options)) {
    std::vector<const_image_view> views;
    for (const auto* input : inputs_) views.push_back(*input);
    expected_ = std::move(run_operator(about_, views, arguments{})[0]);
    fs::create_directory(folder_);
    options_.folder = folder_ / "run";
  }
  ~continued_run() { fs::remove_all(folder_); }
  continued_run(const continued_run&) = delete;
  continued_run& operator=(const continued_run&) = delete;

  /// Whether the run ended. One rank can read so many boxes, or all of them together: ranks take pieces of
  /// others, so nobody knows how many boxes one of them reads.
  bool go_on(int size, int threads = 1, int failing = 0, int reads = all_reads, int local_size = 1) {
    std::atomic<int> left = reads, enough = all_reads;
    const auto work = [&](ranks& all) {
      std::vector<std::unique_ptr<image_source>> sources;
      std::vector<image_source*> all_sources;
      for (const auto* input : inputs_) {
        sources.push_back(std::make_unique<failing_source>(
            *input, failing == any_rank || all.rank() == failing ? left : enough));
        all_sources.push_back(sources.back().get());
      }
      const auto sink = create_sink(file_, {expected_.type(), expected_.shape()});
      auto own = options_;
      own.shared_by = &all;
      own.resume = begun_;
      context how{.device = "cpu", .threads = threads};
      how.progress = [&](double done) {
        if (is_refused) throw usage_error("refused");
        if (done > ends_after) throw io_error("stopped");
      };
      run_in_pieces(about_, all_sources, std::array{sink.get()}, {}, how, own);
      all.on_first([&] { sink->commit(); });
    };
    const auto errors = on_ranks(size, work, 0, local_size);
    begun_ = true;
    used_ = reads - left;
    for (const auto& error : errors) EXPECT_EQ(!error, !errors[0]);
    EXPECT_EQ(fs::exists(file_), !errors[0]);
    told_.clear();
    try {
      if (errors[0]) std::rethrow_exception(errors[0]);
    } catch (const std::exception& error) {
      told_ = error.what();
    }
    return !errors[0];
  }
  /// The part of the work after which the first rank has an error.
  double ends_after = 2;
  bool is_refused = false;  ///< once it has begun
  /// The error of the first rank.
  const std::string& told() const { return told_; }
  fs::path limit_file() const { return options_.folder / "limit"; }
  fs::path journal() const { return options_.folder / "journal"; }
  /// Boxes that the rank read.
  int used() const { return used_; }
  bool is_exact() const { return same_bits(read_image(file_).pixels, expected_); }

 private:
  const operator_description& about_;
  std::vector<const image*> inputs_;
  piece_options options_;
  image expected_;
  fs::path folder_ = fs::temp_directory_path() / ("macareu-ranks-" + std::to_string(::getpid()));
  fs::path file_ = folder_ / "out.npy";
  bool begun_ = false;
  int used_ = 0;
  std::string told_;
};

TEST(continued_runs, by_another_number_of_ranks) {
  for (std::int64_t i = 0; i < scaled(60); ++i) {
    dice from(static_cast<std::uint64_t>(1000 + i));
    const extents shape{from.between(1, 60), from.between(1, 60)};
    image mask(dtype::u8, shape), marker(dtype::u8, shape);
    for (std::int64_t p = 0; p < shape.pixels(); ++p) {
      auto& high = static_cast<std::uint8_t*>(mask.data())[p];
      high = static_cast<std::uint8_t>(from.below(4));
      static_cast<std::uint8_t*>(marker.data())[p] = from.once_in(20) ? high : std::uint8_t{0};
    }
    const auto* const name = std::array{"reconstruct", "label", "distance_transform"}[i % 3];
    std::vector<const image*> inputs{&marker, &mask};
    if (i % 3 != 0) inputs = {&mask};
    continued_run run(name, inputs, {.size = {1, from.between(1, 20), from.between(1, 20)}});
    bool ended = false;
    for (int attempt = 0; !ended; ++attempt) {
      const auto size = static_cast<int>(from.between(1, 5)), failing = static_cast<int>(from.below(size));
      ended = run.go_on(size, 1, failing, attempt < 5 ? static_cast<int>(from.below(80)) : all_reads);
    }
    EXPECT_TRUE(run.is_exact()) << name << " " << i;
  }
}

/// Small squares, some of them with a marker: few pixels of a piece depend on others, so it keeps a list of
/// them.
struct squares {
  explicit squares(const extents& shape) : mask(dtype::u8, shape), marker(dtype::u8, shape) {
    auto *const high = static_cast<std::uint8_t*>(mask.data()), *const low =
                                                                    static_cast<std::uint8_t*>(marker.data());
    std::fill_n(high, shape.pixels(), std::uint8_t{0});
    dice from(7);
    for (std::int64_t i = 0; i < shape.pixels() / 200; ++i) {
      const auto first =
          from.between(0, shape.height() - 4) * shape.width() + from.between(0, shape.width() - 4);
      const auto value = static_cast<std::uint8_t>(from.between(1, 255));
      for (std::int64_t row = 0; row < 4; ++row) std::fill_n(high + first + row * shape.width(), 4, value);
    }
    for (std::int64_t p = 0; p < shape.pixels(); ++p) low[p] = from.once_in(20) ? high[p] : std::uint8_t{0};
  }
  image mask, marker;
};

TEST(continued_runs, fewer_ranks_keep_lists_of_others) {
  const squares drawn({600, 600});
  // Pieces that are done belong to other ranks in the run that continues.
  for (int reads = 2; reads <= 62; reads += 10) {
    continued_run run("reconstruct", {&drawn.marker, &drawn.mask}, {.size = {1, 100, 100}});
    EXPECT_FALSE(run.go_on(3, 1, any_rank, reads));
    EXPECT_TRUE(run.go_on(2));
    EXPECT_TRUE(run.is_exact()) << reads;
  }
}

TEST(continued_runs, are_refused_to_too_many_ranks_of_a_machine) {
  const squares drawn({600, 600});
  continued_run run("reconstruct", {&drawn.marker, &drawn.mask}, {});
  EXPECT_FALSE(run.go_on(2, 1, any_rank, 3));
  EXPECT_FALSE(run.go_on(2, 1, 0, all_reads, 1 << 20));
  EXPECT_EQ(run.told().find("each rank of the unfinished run had "), 0u) << run.told();
  EXPECT_TRUE(fs::exists(run.journal()));
  ASSERT_TRUE(run.go_on(2)) << run.told();
  EXPECT_TRUE(run.is_exact());
}

TEST(continued_runs, a_damaged_limit_is_refused) {
  const squares drawn({600, 600});
  constexpr std::int64_t fine = std::int64_t{1} << 30, large = std::numeric_limits<std::int64_t>::max();
  for (const auto& terms : {std::array<std::int64_t, 3>{0, 0, 0},
                            {fine, 0, 0},
                            {-fine, 2, 0},
                            {fine, 2, -1},
                            {large, 2, 0},
                            {fine, large, 0}})
    for (const int size : {1, 2}) {
      continued_run run("reconstruct", {&drawn.marker, &drawn.mask}, {});
      EXPECT_FALSE(run.go_on(2, 1, any_rank, 3));
      std::ofstream(run.limit_file(), std::ios::binary)
          .write(reinterpret_cast<const char*>(terms.data()), sizeof terms);
      EXPECT_FALSE(run.go_on(size));
      EXPECT_NE(run.told().find("limit: is damaged"), std::string::npos) << run.told();
    }
}

TEST(continued_runs, other_threads_keep_pieces_of_basins) {
  const extents shape{4400, 1000};  // two pieces on one thread, four on two
  const squares drawn(shape);
  image seeds(dtype::u32, shape);
  auto* const labels = static_cast<std::uint32_t*>(seeds.data());
  std::fill_n(labels, shape.pixels(), 0u);
  for (std::uint32_t i = 1; i <= 100; ++i) labels[i * 43'321] = i;
  const piece_options limited{.memory = 150'000'000};
  int reads = 0;
  for (const int ranks_then : {0, 1, 2}) {
    continued_run run("watershed", {&drawn.mask, &seeds}, limited);
    if (ranks_then == 0) {
      EXPECT_TRUE(run.go_on(1, 2));
      reads = run.used();
      continue;
    }
    EXPECT_FALSE(run.go_on(1, 2, 0, reads - 1));  // some labels are written
    ASSERT_TRUE(run.go_on(ranks_then, 1));
    EXPECT_TRUE(run.is_exact()) << ranks_then;
  }
}

/// One process has files for the rows of objects where several ranks have memory.
TEST(continued_runs, by_another_number_of_ranks_within_a_limit) {
  const extents shape{1500, 1500};
  image dots(dtype::u8, shape);
  auto pixels = dots.pixels<std::uint8_t>();
  std::ranges::fill(pixels, std::uint8_t{0});
  for (std::int64_t y = 0; y < shape.height(); y += 2)
    for (std::int64_t x = 0; x < shape.width(); x += 2)
      pixels[static_cast<std::size_t>(y * shape.width() + x)] = 1;
  for (const auto& [then, now] : {std::pair(1, 2), {2, 1}})
    for (const double ends_after : {0.5, 0.91, 0.95, 0.98}) {
      continued_run run("remove_small", {&dots}, {.memory = 22'000'000});
      run.ends_after = ends_after;
      EXPECT_FALSE(run.go_on(then));
      run.ends_after = 2;
      ASSERT_TRUE(run.go_on(now)) << run.told();
      EXPECT_TRUE(run.is_exact()) << then << " then " << now << " after " << ends_after;
    }
}

TEST(continued_runs, keep_what_is_done_when_they_are_refused) {
  const squares drawn({600, 600});
  const std::vector<const image*> inputs{&drawn.marker, &drawn.mask};
  const piece_options small{.size = {1, 100, 100}};
  int all = 0;
  {
    continued_run whole("reconstruct", inputs, small);
    EXPECT_TRUE(whole.go_on(1));
    all = whole.used();
  }
  continued_run run("reconstruct", inputs, small);
  EXPECT_FALSE(run.go_on(1, 1, 0, 50));
  run.is_refused = true;
  EXPECT_FALSE(run.go_on(1));
  EXPECT_NE(run.told().find("refused"), std::string::npos) << run.told();
  run.is_refused = false;
  ASSERT_TRUE(run.go_on(1)) << run.told();
  EXPECT_LT(run.used(), all);
  EXPECT_TRUE(run.is_exact());
}

}  // namespace
}  // namespace macareu::test
