// Processes that share a run: exchanges, errors of one of them, and runs that another number of them
// continues.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>
#include <macareu/pieces.hpp>

#include "catalogue/gpu_memory_of_rank.hpp"
#include "engines/cuda/runtime/gpu_of_rank.hpp"
#include "engines/pieces/box.hpp"
#include "support/dice.hpp"
#include "support/same.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

TEST(ranks, exchange) {
  for (int size = 1; size <= 9; ++size) {
    const auto errors = on_ranks(size, [&](ranks& all) {
      const auto own = std::string(static_cast<std::size_t>(all.rank()), 'x');
      const auto every = all.gather(own);
      ASSERT_EQ(every.size(), static_cast<std::size_t>(size));
      for (std::size_t k = 0; k < every.size(); ++k) EXPECT_EQ(every[k].size(), k);
      EXPECT_EQ(all.from_first("of " + std::to_string(all.rank())), "of 0");
      // Each half of a range gets its half of the text.
      const auto letter = all.exchange(std::string(1, static_cast<char>('a' + all.rank())),
                                       {[](const rank_range&, const std::string& first,
                                           const std::string& second) { return first + second; },
                                        [](std::string text) { return text; },
                                        [](const rank_range& range, const std::string& text) {
                                          const auto half =
                                              static_cast<std::size_t>(range.middle - range.first);
                                          return std::pair(text.substr(0, half), text.substr(half));
                                        }});
      EXPECT_EQ(letter, std::string(1, static_cast<char>('a' + all.rank())));
      all.meet();
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
  }
}

TEST(ranks, least) {
  const auto errors =
      on_ranks(5, [](ranks& all) { EXPECT_EQ(all.least(all.rank() == 3 ? -7 : all.rank()), -7); });
  for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(ranks, share_the_memory_of_a_device) {
  const auto expect = [](int machines, const std::array<const char*, 4>& devices, std::int64_t share) {
    const auto errors = on_ranks(
        4,
        [&](ranks& all) {
          EXPECT_EQ(share_of_device(all, 120, devices[static_cast<std::size_t>(all.rank())]), share);
        },
        machines);
    for (const auto& error : errors) EXPECT_FALSE(error);
  };
  expect(1, {"0", "1", "2", "3"}, 120);
  expect(1, {"0", "1", "0", "1"}, 60);
  expect(1, {"0", "1", "0", "0"}, 40);
  expect(4, {"0", "0", "0", "0"}, 120);
  expect(2, {"0", "0", "0", "0"}, 60);
  expect(1, {"", "", "", ""}, 120);
}

TEST(ranks, have_no_memory_of_a_gpu_on_the_cpu) {
  const auto errors =
      on_ranks(3, [](ranks& all) { EXPECT_EQ(gpu_memory_of_rank(all, {.device = "cpu"}), 0); });
  for (const auto& error : errors) EXPECT_FALSE(error);
}

TEST(ranks, divide_the_memory_of_a_gpu) {
  const auto present = devices();
  if (std::ranges::find(present, "cuda") == present.end()) GTEST_SKIP() << "no GPU";
  const auto share_of = [](int count) {
    std::atomic<std::int64_t> share = 0;
    const auto errors = on_ranks(
        count, [&](ranks& all) { share = gpu_memory_of_rank(all, {.device = "cuda:0"}); }, 1);
    for (const auto& error : errors) EXPECT_FALSE(error);
    return static_cast<double>(share.load());
  };
  // Others may take some memory meanwhile.
  const auto one = share_of(1);
  EXPECT_GT(one, 0);
  EXPECT_NEAR(share_of(3) / one, 1.0 / 3, 0.05);
}

TEST(ranks, take_usable_gpus_in_turn) {
  const auto chosen = [](const std::vector<bool>& usable, int local_rank) {
    std::vector<gpu_description> gpus;
    for (const bool each : usable) gpus.emplace_back().usable = each;
    return cuda::gpu_of_rank(gpus, local_rank).value_or(-1);
  };
  EXPECT_EQ(chosen({}, 0), -1);
  EXPECT_EQ(chosen({false}, 1), -1);
  EXPECT_EQ(chosen({true}, 5), 0);
  EXPECT_EQ(chosen({false, true}, 0), 1);
  for (int rank = 0; rank < 6; ++rank) {
    EXPECT_EQ(chosen({true, true, true}, rank), rank % 3);
    EXPECT_EQ(chosen({false, true, false, true}, rank), rank % 2 == 0 ? 1 : 3);
  }
}

TEST(ranks, waiting_is_counted) {
  for (const int size : {1, 2, 5}) {
    const auto errors = on_ranks(size, [&](ranks& all) {
      EXPECT_EQ(all.seconds_waiting(), 0);
      all.gather("told");
      EXPECT_EQ(all.seconds_waiting() > 0, size > 1);
      EXPECT_EQ(all.bytes_up() > 0, !all.is_first());
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
  }
}

TEST(ranks, have_all_pieces_once) {
  for (const site counts : {site{1, 1, 1}, site{1, 5, 7}, site{1, 40, 3}, site{4, 2, 9}})
    for (int size = 1; size <= 17; ++size) {
      const pieces::box all{{0, 0, 0}, counts};
      std::vector<int> owners(static_cast<std::size_t>(all.pixels()));
      for (int rank = 0; rank < size; ++rank) {
        const auto own = pieces::share_of_ranks(all, size, rank, rank + 1);
        for (auto z = own.first.z; z < own.end().z; ++z)
          for (auto y = own.first.y; y < own.end().y; ++y)
            for (auto x = own.first.x; x < own.end().x; ++x)
              ++owners[static_cast<std::size_t>((z * counts.y + y) * counts.x + x)];
      }
      EXPECT_EQ(std::ranges::count(owners, 1), all.pixels()) << size;
    }
}

/// The errors of all ranks as texts.
std::vector<std::string> texts(const std::vector<std::exception_ptr>& errors) {
  std::vector<std::string> found;
  for (const auto& error : errors) try {
      if (error) std::rethrow_exception(error);
      found.emplace_back();
    } catch (const io_error& e) {
      found.emplace_back(e.what());
    }
  return found;
}

TEST(ranks, an_error_of_one_is_one_of_all) {
  for (int size = 2; size <= 7; ++size)
    for (int failing = 0; failing < size; ++failing)
      for (const auto* const where : {"before", "join", "answer", "split"}) {
        const auto fail_in = [&](std::string_view place, const ranks& all) {
          if (place == where && (all.rank() == failing || place == "answer")) throw io_error("no space");
        };
        const auto found = texts(on_ranks(size, [&](ranks& all) {
          all.meet();
          fail_in("before", all);
          all.exchange("", {[&](const rank_range&, std::string, std::string) {
                              fail_in("join", all);
                              return std::string();
                            },
                            [&](const std::string&) {
                              fail_in("answer", all);
                              return std::string();
                            },
                            [&](const rank_range&, const std::string&) {
                              fail_in("split", all);
                              return std::pair(std::string(), std::string());
                            }});
          all.meet();
        }));
        // Ranks without others below them neither join nor split.
        const bool any = std::ranges::any_of(found, [](const std::string& text) { return !text.empty(); });
        for (const auto& text : found) {
          EXPECT_EQ(text.empty(), !any) << where;
          EXPECT_EQ(text.find("no space") == std::string::npos, !any) << text;
          EXPECT_TRUE(!any || text.rfind("rank ") == 0) << text;  // named once
        }
        EXPECT_TRUE(any || std::string(where) != "before");
      }
}

TEST(ranks, a_usage_error_of_others_has_the_name_of_one) {
  const std::vector<std::string> names{"", "rank 1 on host1: ", "rank 2 on host2: "};
  for (int failing = 0; failing < 3; ++failing) {
    const auto errors = on_ranks(3, [&](ranks& all) {
      if (all.rank() >= failing) throw usage_error("no such device");
      all.meet();
    });
    ASSERT_TRUE(errors[0] && errors[1] && errors[2]);
    try {
      std::rethrow_exception(errors[0]);
    } catch (const usage_error& e) {
      EXPECT_EQ(e.what(), names[static_cast<std::size_t>(failing)] + "no such device");
    }
  }
}

/// Front ends word the parts of a call_error, also of one that another rank has.
TEST(ranks, errors_keep_their_structure) {
  const call_problem problem{
      fault::pixels, "reconstruct", {"marker 9 at ", input_named("mask")}, "9", "0 to 5"};
  for (int failing = 0; failing < 3; ++failing) {
    const auto name = "rank " + std::to_string(failing) + " on host" + std::to_string(failing) + ": ";
    const auto before = failing == 0 ? "" : name;
    for (const auto& error : on_ranks(3, [&](ranks& all) {
           if (all.rank() == failing) throw call_error(problem);
           all.meet();
         }))
      try {
        std::rethrow_exception(error);
      } catch (const call_error& e) {
        EXPECT_EQ(e.about(), "reconstruct");
        EXPECT_EQ(e.what(), before + "reconstruct: marker 9 at mask");
        EXPECT_EQ(e.message(), before + "marker 9 at mask");
        EXPECT_EQ(e.problem().text([](const error_part& part) { return "--" + part.text; }),
                  before + "marker 9 at --mask");
        EXPECT_EQ(e.problem().subject()->text, "mask");
        EXPECT_EQ(e.problem().kind, fault::pixels);
        EXPECT_EQ(e.problem().given + ", " + e.problem().allowed, "9, 0 to 5");
      }
    for (const auto& error : on_ranks(3, [&](ranks& all) {
           if (all.rank() == failing) throw io_error("out.tif", "no space");
           all.meet();
         }))
      try {
        std::rethrow_exception(error);
      } catch (const io_error& e) {
        EXPECT_EQ(e.about(), "out.tif");
        EXPECT_EQ(e.what(), name + "out.tif: no space");
        EXPECT_EQ(e.message(), name + "no space");
      }
  }
}

TEST(ranks, differences_are_refused) {
  const auto errors = on_ranks(3, [](ranks& all) {
    all.require_same("inputs", "a: 1\nb: 2\n");
    all.require_same("inputs", all.rank() == 2 ? "a: 1\nb: 3\n" : "a: 1\nb: 2\n");
  });
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    try {
      std::rethrow_exception(error);
    } catch (const usage_error& e) {
      EXPECT_STREQ(e.what(), "ranks have different inputs: rank 0 has 'b: 2', rank 2 on host2 has 'b: 3'");
    }
  }
}

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
      run_in_pieces(about_, all_sources, std::array{sink.get()}, {}, {.device = "cpu", .threads = threads},
                    own);
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
  /// The error of the first rank.
  const std::string& told() const { return told_; }
  fs::path limit_file() const { return options_.folder / "limit"; }
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

TEST(ranks, another_number_of_them_continues_a_run) {
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

TEST(ranks, fewer_of_them_keep_lists_of_others) {
  const squares drawn({600, 600});
  // Pieces that are done belong to other ranks in the run that continues.
  for (int reads = 2; reads <= 62; reads += 10) {
    continued_run run("reconstruct", {&drawn.marker, &drawn.mask}, {.size = {1, 100, 100}});
    EXPECT_FALSE(run.go_on(3, 1, any_rank, reads));
    EXPECT_TRUE(run.go_on(2));
    EXPECT_TRUE(run.is_exact()) << reads;
  }
}

TEST(ranks, too_many_of_a_machine_do_not_continue_a_run) {
  const squares drawn({600, 600});
  continued_run run("reconstruct", {&drawn.marker, &drawn.mask}, {});
  EXPECT_FALSE(run.go_on(2, 1, any_rank, 3));
  EXPECT_FALSE(run.go_on(2, 1, 0, all_reads, 1 << 20));
  EXPECT_EQ(run.told().find("--resume: each rank of the unfinished run had "), 0u) << run.told();
  ASSERT_TRUE(run.go_on(2)) << run.told();  // what was done is still there
  EXPECT_TRUE(run.is_exact());
}

TEST(ranks, a_damaged_limit_is_refused) {
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

TEST(ranks, other_threads_keep_pieces_of_basins) {
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

}  // namespace
}  // namespace macareu::test
