// Labels in a work file equal those in memory, and take room only where they are.
#include "slides/outputs/label_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "core/ranks/rank_shares.hpp"
#include "files/regions/zarr.hpp"
#include "support/thread_ranks.hpp"

namespace macareu::test {
namespace {

using slides::label_store;

/// Writes and reads in pieces of this size.
void compare(const extents& shape, std::int64_t high, std::int64_t wide) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> expected(static_cast<std::size_t>(shape.pixels()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (i % 700 > 300) expected[i] = random() % 5;
  label_store store(shape, {}, {});
  std::vector<std::uint32_t> part;
  const auto over_pieces = [&](const auto& visit) {
    for (std::int64_t y = 0; y < shape.height(); y += high)
      for (std::int64_t x = 0; x < shape.width(); x += wide) {
        const image_region where{{0, y, x},
                                 {1, std::min(high, shape.height() - y), std::min(wide, shape.width() - x)}};
        part.resize(static_cast<std::size_t>(where.pixels()));
        visit(where);
      }
  };
  const auto index = [&](const image_region& where, std::size_t i) {
    const auto row = static_cast<std::int64_t>(i) / where.size[2],
               column = static_cast<std::int64_t>(i) % where.size[2];
    return static_cast<std::size_t>((where.first[1] + row) * shape.width() + where.first[2] + column);
  };
  over_pieces([&](const image_region& where) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = expected[index(where, i)];
    store.write(where, part.data());
  });
  over_pieces([&](const image_region& where) {
    store.read(where, part.data());
    for (std::size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], expected[index(where, i)]) << i;
  });
  std::vector<std::uint32_t> all(expected.size());
  store.read(whole_of(shape), all.data());
  EXPECT_EQ(all, expected);
}

TEST(label_store, pieces_of_any_size) {
  compare({600, 700}, 256, 256);
  compare({600, 700}, 100, 333);
  compare({600, 700}, 600, 700);
  compare({257, 1}, 50, 1);
}

TEST(label_store, renumbered) {
  label_store store({300, 520}, {}, {});
  std::vector<std::uint32_t> labels(300 * 520);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(i / 300 % 4);
  store.write(whole_of(store.form().shape), labels.data());
  const auto other = store.renumbered({0, 0, 1, 7}, {});
  std::vector<std::uint32_t> found(labels.size());
  other->read(whole_of(store.form().shape), found.data());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    constexpr std::uint32_t expected[]{0, 0, 1, 7};
    ASSERT_EQ(found[i], expected[labels[i]]) << i;
  }
}

TEST(label_store, of_ranks) {
  constexpr std::int64_t side = label_store::side, height = 5 * side - 9, width = 520;
  // Every second tile has labels.
  const auto label_at = [](std::int64_t y, std::int64_t x) {
    return static_cast<std::uint32_t>((y / side + x / side) % 2 * (1 + y % 3));
  };
  const auto rows_from = [&](std::int64_t first, std::int64_t end) {
    std::vector<std::uint32_t> labels;
    for (auto y = first; y < end; ++y)
      for (std::int64_t x = 0; x < width; ++x) labels.push_back(label_at(y, x));
    return labels;
  };
  const auto folder =
      std::filesystem::temp_directory_path() / ("macareu-shared-" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  for (const int size : {1, 2, 3, 7}) {
    const auto errors = on_ranks(size, [&](ranks& all) {
      label_store store({height, width}, {}, folder, 1, &all);
      const auto own = share_of(&all, 5);
      for (auto tile = own.first; tile < own.end; ++tile) {
        const auto end = std::min((tile + 1) * side, height);
        store.write({{0, tile * side, 0}, {1, end - tile * side, width}}, rows_from(tile * side, end).data());
      }
      store.share();
      EXPECT_TRUE(store.has_labels(side, 0) && store.has_labels(2 * side, side));
      EXPECT_FALSE(store.has_labels(0, 0) || store.has_labels(3 * side, side));
      std::vector<std::uint32_t> found(height * width);
      store.read(whole_of({height, width}), found.data());
      EXPECT_EQ(found, rows_from(0, height));
      const auto other = store.renumbered({0, 5, 6, 7}, folder);
      auto expected = found;
      for (auto& label : expected) label += label > 0 ? 4 : 0;
      other->read(whole_of({height, width}), found.data());
      EXPECT_EQ(found, expected);
    });
    EXPECT_EQ(std::ranges::count(errors, nullptr), size);
    EXPECT_TRUE(std::filesystem::is_empty(folder));
  }
  std::filesystem::remove_all(folder);
}

TEST(label_store, only_labels_take_room) {
  const auto before = coded_file::all().now.load();
  label_store store({1024, 1024}, {}, {});
  std::vector<std::uint32_t> rows(256 * 1024);
  store.write({{0, 0, 0}, {1, 256, 1024}}, rows.data());
  EXPECT_EQ(coded_file::all().now, before);
  rows[600] = 9;
  store.write({{0, 256, 0}, {1, 256, 1024}}, rows.data());
  EXPECT_GT(coded_file::all().now, before);
  EXPECT_LT(coded_file::all().now, before + 256);
  EXPECT_TRUE(store.has_labels(256, 600));
  EXPECT_FALSE(store.has_labels(256, 100));
  EXPECT_FALSE(store.has_labels(0, 600));
}

TEST(label_store, zarr_leaves_out_chunks_of_zeros) {
  if (!files::has_zarr()) GTEST_SKIP() << "this build has no nlohmann-json";
  const auto file = std::filesystem::temp_directory_path() /
                    ("macareu-labels-" + std::to_string(std::random_device()()) + ".zarr");
  label_store store({1500, 2600}, {}, {}, 2);
  std::vector<std::uint32_t> labels(1500 * 2600);
  labels[2] = 5;
  labels.back() = 7;
  store.write(whole_of(store.form().shape), labels.data());
  store.write_to(file);
  std::vector<std::uint32_t> found(labels.size(), 1);
  open_source(file)->read(whole_of(store.form().shape), found.data());
  EXPECT_EQ(found, labels);
  const std::filesystem::directory_iterator entries(file);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 3);  // .zarray and two chunks
  std::filesystem::remove_all(file);
}

}  // namespace
}  // namespace macareu::test
