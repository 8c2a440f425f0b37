// Rows of objects that ranks share: through files, so that messages do not grow with the objects.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <macareu/macareu.hpp>
#include <macareu/pieces.hpp>

#include "engines/pieces/files/rank_files.hpp"
#include "engines/pieces/row_shares.hpp"
#include "support/dice.hpp"
#include "support/same.hpp"
#include "support/shared_run.hpp"

namespace macareu::test {
namespace {

namespace fs = std::filesystem;

TEST(rows, ranks_share_those_of_a_table) {
  struct row {
    std::uint64_t sum = 0, finders = 0;
  };
  for (std::int64_t i = 0; i < scaled(40); ++i) {
    dice from(static_cast<std::uint64_t>(i));
    const auto size = static_cast<int>(from.between(2, 9));
    const auto labels = static_cast<std::uint64_t>(from.between(0, 40));
    // found[rank][label - 1]: rows of labels that the rank found. Some labels belong to nobody.
    std::vector<std::vector<row>> found(static_cast<std::size_t>(size), std::vector<row>(labels));
    for (auto& rows : found)
      for (auto& each : rows)
        if (from.once_in(3)) each = {static_cast<std::uint64_t>(from.below(100)), 1};
    std::vector<row> result(labels);
    std::atomic<std::uint64_t> described = 0;
    const auto errors = in_run(size, [&](pieces::run& run) {
      pieces::labelled_rows own;
      const auto& rows = found[static_cast<std::size_t>(run.rank())];
      for (std::uint64_t label = 1; label <= labels; ++label) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(&rows[label - 1]);
        if (rows[label - 1].finders == 0) continue;
        own.labels.push_back(label);
        own.rows.insert(own.rows.end(), bytes, bytes + sizeof(row));
      }
      const auto share = pieces::share_of_labels(labels, size, run.rank(), run.rank() + 1);
      described += share.count;
      // Rows may be left several times, of the same labels too.
      pieces::row_exchange exchange(run, labels, sizeof(row));
      const auto half = own.labels.size() / 2;
      exchange.leave(
          {{own.labels.begin(), own.labels.begin() + static_cast<std::ptrdiff_t>(half)},
           {own.rows.begin(), own.rows.begin() + static_cast<std::ptrdiff_t>(half * sizeof(row))}});
      exchange.leave({{own.labels.begin() + static_cast<std::ptrdiff_t>(half), own.labels.end()},
                      {own.rows.begin() + static_cast<std::ptrdiff_t>(half * sizeof(row)), own.rows.end()}});
      exchange.collect([&](std::uint64_t label, const std::byte* bytes) {
        ASSERT_TRUE(share.contains(label));
        row more;
        std::memcpy(&more, bytes, sizeof more);
        result[label - 1].sum += more.sum;
        result[label - 1].finders += more.finders;
      });
    });
    for (const auto& error : errors) EXPECT_FALSE(error);
    EXPECT_EQ(described, labels);
    for (std::uint64_t label = 1; label <= labels; ++label) {
      row expected;
      for (const auto& rows : found) {
        expected.sum += rows[label - 1].sum;
        expected.finders += rows[label - 1].finders;
      }
      EXPECT_EQ(result[label - 1].sum, expected.sum) << label;
      EXPECT_EQ(result[label - 1].finders, expected.finders) << label;
    }
  }
}

/// Objects of one pixel each, all in the lower half: most ranks describe what others find.
image dots(std::int64_t side) {
  image labels(dtype::u32, extents{side, side});
  auto* const pixels = static_cast<std::uint32_t*>(labels.data());
  std::fill_n(pixels, side * side, 0u);
  std::uint32_t last = 0;
  for (auto y = side / 2; y < side; y += 2)
    for (std::int64_t x = 0; x < side; x += 2) pixels[y * side + x] = ++last;
  return labels;
}

/// The most bytes that one of four ranks sends up in `work`.
std::int64_t most_bytes_up(const std::function<void(const piece_options&)>& work) {
  std::array<std::int64_t, 4> bytes{};
  const auto errors = on_ranks(4, [&](ranks& all) {
    work({.size = {1, 8, 1024}, .shared_by = &all});
    bytes[static_cast<std::size_t>(all.rank())] = all.bytes_up();
  });
  for (const auto& error : errors) EXPECT_FALSE(error);
  return std::ranges::max(bytes);
}

constexpr std::int64_t side = 256, few_bytes = 8192;

TEST(rows, of_tables_are_not_sent) {
  const auto labels = dots(side);
  const auto& about = *find_operator("measure");
  const auto expected = compute_table(about, std::array<const_image_view, 1>{labels}, {});
  ASSERT_GT(expected.rows() * 8 * expected.columns.size(), 100u * few_bytes);
  for (const bool own_rows : {false, true}) {
    std::array<table, 4> tables;
    EXPECT_LT(most_bytes_up([&](piece_options options) {
                const auto source = source_of(labels);
                options.own_rows = own_rows;
                tables[static_cast<std::size_t>(options.shared_by->rank())] =
                    compute_table_in_pieces(about, std::array{source.get()}, {}, {.device = "cpu"}, options);
              }),
              few_bytes);
    std::string text;
    for (const auto& each : tables) {
      EXPECT_TRUE(own_rows || to_csv(each) == to_csv(expected));
      write_csv(
          each, [&](std::string_view more) { text += more; }, &each == &tables[0]);
    }
    EXPECT_TRUE(!own_rows || text == to_csv(expected));
  }
}

TEST(rows, of_selections_are_not_sent) {
  const auto labels = dots(side);
  const auto& about = *find_operator("relabel");
  const arguments given{{"min_size", number(1)}};
  const auto folder = fs::temp_directory_path() / ("macareu-rows-" + std::to_string(::getpid()));
  fs::create_directory(folder);
  const auto file = folder / "out.npy";
  EXPECT_LT(most_bytes_up([&](const piece_options& options) {
              const auto source = source_of(labels);
              const auto sink = create_sink(file, {dtype::u32, labels.shape()});
              run_in_pieces(about, std::array{source.get()}, std::array{sink.get()}, given, {.device = "cpu"},
                            options);
              options.shared_by->on_first([&] { sink->commit(); });
            }),
            few_bytes);
  EXPECT_TRUE(same_bits(read_image(file).pixels,
                        run_operator(about, std::array<const_image_view, 1>{labels}, given)[0]));
  fs::remove_all(folder);
}

TEST(rows, that_are_not_there_are_told) {
  for (const bool is_cut : {false, true}) {
    fs::path name;
    const auto errors = in_run(3, [&](pieces::run& run) {
      const auto own = run.name_of_pass();
      pieces::rank_files files(run, own);
      files.add("rows", 4);
      run.all_ranks().meet();
      if (run.rank() == 1) {
        name = own.string() + "1.found";
        EXPECT_EQ(fs::file_size(name), 4u);
        is_cut ? fs::resize_file(name, 3) : static_cast<void>(fs::remove(name));
      }
      run.all_ranks().meet();
      char rows[4];
      files.read(run.rank(), 0, rows, sizeof rows);
    });
    for (const auto& error : errors) try {
        ASSERT_TRUE(error);
        std::rethrow_exception(error);
      } catch (const io_error& told) {
        EXPECT_EQ(told.what(),
                  "rank 1 on host1: " + name.string() + ": of 4 bytes that rank 1 wrote, " +
                      (is_cut ? "3" : "0") +
                      " are there; choose a scratch directory whose files all ranks see at once");
      }
  }
}

TEST(rows, leave_no_files) {
  const auto errors = in_run(3, [&](pieces::run& run) {
    const auto folder = run.name_of_pass().parent_path();
    pieces::gather_in_files(run, std::string(static_cast<std::size_t>(run.rank()), 'r'),
                            [](std::string_view) {});
    run.all_ranks().meet();
    EXPECT_TRUE(fs::is_empty(folder));
  });
  for (const auto& error : errors) EXPECT_FALSE(error);
}

}  // namespace
}  // namespace macareu::test
