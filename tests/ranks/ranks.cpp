// Processes that share a run: exchanges, shares of a machine, and errors of one of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <macareu/macareu.hpp>
#include <macareu/pieces.hpp>

#include "catalogue/gpu_memory_of_rank.hpp"
#include "core/private_folder.hpp"
#include "engines/cuda/runtime/gpu_of_rank.hpp"
#include "engines/pieces/box.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

/// Calls `look` with the errors of ranks, all of them of this kind.
template <class Error, class Look>
void look_at(const std::vector<std::exception_ptr>& errors, const Look& look) {
  for (const auto& error : errors) {
    ASSERT_TRUE(error);
    try {
      std::rethrow_exception(error);
    } catch (const Error& e) {
      look(e);
    }
  }
}

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
    auto errors = on_ranks(3, [&](ranks& all) {
      if (all.rank() >= failing) throw usage_error("no such device");
      all.meet();
    });
    ASSERT_TRUE(errors[1] && errors[2]);
    errors.resize(1);
    look_at<usage_error>(errors, [&](const usage_error& e) {
      EXPECT_EQ(e.what(), names[static_cast<std::size_t>(failing)] + "no such device");
    });
  }
}

/// Front ends word the parts of a call_error, also of one that another rank has.
TEST(ranks, errors_keep_their_structure) {
  const call_problem problem{
      fault::pixels, "reconstruct", {"marker 9 at ", input_named("mask")}, "9", "0 to 5"};
  for (int failing = 0; failing < 3; ++failing) {
    const auto name = "rank " + std::to_string(failing) + " on host" + std::to_string(failing) + ": ";
    const auto before = failing == 0 ? "" : name;
    const auto errors_where = [&](const auto& problem_of_one) {
      return on_ranks(3, [&](ranks& all) {
        if (all.rank() == failing) throw problem_of_one;
        all.meet();
      });
    };
    look_at<call_error>(errors_where(call_error(problem)), [&](const call_error& e) {
      EXPECT_EQ(e.about(), "reconstruct");
      EXPECT_EQ(e.what(), before + "reconstruct: marker 9 at mask");
      EXPECT_EQ(e.message(), before + "marker 9 at mask");
      EXPECT_EQ(e.problem().text([](const error_part& part) { return "--" + part.text; }),
                before + "marker 9 at --mask");
      EXPECT_EQ(e.problem().subject()->text, "mask");
      EXPECT_EQ(e.problem().kind, fault::pixels);
      EXPECT_EQ(e.problem().given + ", " + e.problem().allowed, "9, 0 to 5");
    });
    look_at<io_error>(errors_where(io_error("out.tif", "no space")), [&](const io_error& e) {
      EXPECT_EQ(e.about(), "out.tif");
      EXPECT_EQ(e.what(), name + "out.tif: no space");
      EXPECT_EQ(e.message(), name + "no space");
    });
  }
}

TEST(ranks, differences_are_refused) {
  const auto errors = on_ranks(3, [](ranks& all) {
    all.require_same("inputs", "a: 1\nb: 2\n");
    all.require_same("inputs", all.rank() == 2 ? "a: 1\nb: 3\n" : "a: 1\nb: 2\n");
  });
  look_at<usage_error>(errors, [](const usage_error& e) {
    EXPECT_STREQ(e.what(), "ranks have different inputs: rank 0 has 'b: 2', rank 2 on host2 has 'b: 3'");
  });
}

/// Each removes what it wrote, and the first one the rest.
TEST(ranks, remove_a_folder_together) {
  const auto folder = fs::temp_directory_path() / ("macareu-ranks-" + std::to_string(::getpid()));
  for (int i = 0; i < 40; ++i) {
    fs::create_directories(folder / "work");
    for (int file = 0; file < 200; ++file) std::ofstream(folder / "work" / std::to_string(file));
    const auto errors = on_ranks(2, [&](ranks& all) {
      if (all.is_first()) {
        EXPECT_TRUE(remove_folder(folder));
        return;
      }
      for (int file = 0; file < 200; ++file) fs::remove(folder / "work" / std::to_string(file));
    });
    EXPECT_TRUE(!errors[0] && !errors[1]);
    ASSERT_FALSE(fs::exists(folder));
  }
}

}  // namespace
}  // namespace macareu::test
