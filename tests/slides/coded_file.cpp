#include "core/coding/coded_file.hpp"

#include <cstdint>
#include <filesystem>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <macareu/error.hpp>

#include "engines/cpu/runtime/threads.hpp"
#include "support/full_disk.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

/// Runs, noise and constant areas, in tiles that are written twice, with several threads the second time.
template <class T>
void compare(std::int64_t height, std::int64_t width, std::int64_t tile) {
  const host_threads several{3, &cpu::parallel};
  std::mt19937_64 random(static_cast<std::uint64_t>(height * 1000 + width));
  std::vector<T> expected(static_cast<std::size_t>(height * width));
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] = i % 700 < 200 ? static_cast<T>(random()) : i % 700 < 400 ? static_cast<T>(i / 9) : T{42};
  coded_file file({}, sizeof(T));
  for (const bool last : {false, true})
    for (std::int64_t y = 0; y < height; y += tile)
      for (std::int64_t x = 0; x < width; x += tile) {
        const image_region where{{0, y, x}, {1, std::min(tile, height - y), std::min(tile, width - x)}};
        std::vector<T> pixels(static_cast<std::size_t>(where.pixels()));
        for (std::int64_t row = 0; row < where.size[1]; ++row)
          for (std::int64_t column = 0; column < where.size[2]; ++column)
            pixels[static_cast<std::size_t>(row * where.size[2] + column)] =
                last ? expected[static_cast<std::size_t>((y + row) * width + x + column)] : T{1};
        file.write(where, pixels.data(), last ? several : host_threads{});
      }
  for (const image_region where : {image_region{{0, 0, 0}, {1, height, width}},
                                   image_region{{0, height / 3, width / 4}, {1, height / 2, width / 3}},
                                   image_region{{0, height - 1, width - 1}, {1, 1, 1}}}) {
    std::vector<T> pixels(static_cast<std::size_t>(where.pixels())), by_several(pixels.size());
    file.read(where, pixels.data());
    file.read(where, by_several.data(), several);
    EXPECT_EQ(by_several, pixels);
    for (std::int64_t row = 0; row < where.size[1]; ++row)
      for (std::int64_t column = 0; column < where.size[2]; ++column)
        ASSERT_EQ(
            pixels[static_cast<std::size_t>(row * where.size[2] + column)],
            expected[static_cast<std::size_t>((where.first[1] + row) * width + where.first[2] + column)])
            << row << " " << column;
  }
}

TEST(coded_file, gives_back_what_was_written) {
  for (const std::int64_t tile : {7, 64, 100, 1000}) {
    compare<std::uint8_t>(130, 200, tile);
    compare<std::uint16_t>(130, 201, tile);
    compare<std::uint32_t>(130, 77, tile);
    compare<std::uint64_t>(65, 33, tile);
    compare<std::uint8_t>(700, 1300, 10 * tile);
    compare<std::uint16_t>(700, 1300, 10 * tile);
  }
}

TEST(coded_file, smooth_images_are_small) {
  std::vector<std::uint16_t> smooth(256 * 256);
  for (std::size_t i = 0; i < smooth.size(); ++i)
    smooth[i] = static_cast<std::uint16_t>(30000 + 20 * (i % 256) + 3 * (i / 256) + i % 3);
  const auto before = coded_file::all().now.load();
  {
    coded_file file({}, 2);
    file.write({{0, 0, 0}, {1, 256, 256}}, smooth.data());
    EXPECT_LT(file.bytes(), 256 * 256 * 5 / 4);
    EXPECT_EQ(coded_file::all().now, before + file.bytes());
  }
  EXPECT_EQ(coded_file::all().now, before);
}

TEST(coded_file, room_of_boxes_that_grow_is_used_again) {
  constexpr std::int64_t side = 32;
  const std::vector<std::uint32_t> plain(side * side, 7);
  std::vector<std::uint32_t> noise(side * side);
  std::mt19937 random(1);
  for (auto& value : noise) value = random();
  coded_file file({}, sizeof(std::uint32_t));
  const auto box = [](std::int64_t x) { return image_region{{0, 0, x}, {1, side, side}}; };
  file.write(box(0), plain.data());
  file.write(box(side), plain.data());
  file.write(box(0), noise.data());
  const auto before = file.bytes();
  file.write(box(2 * side), plain.data());
  EXPECT_EQ(file.bytes(), before);
  // At the end of the file, a box grows in its place.
  coded_file last({}, sizeof(std::uint32_t));
  last.write(box(0), plain.data());
  last.write(box(0), noise.data());
  EXPECT_LT(last.bytes(), before);
  std::vector<std::uint32_t> found(side * side);
  for (const auto x : {std::int64_t{0}, side, 2 * side}) {
    file.read(box(x), found.data());
    EXPECT_EQ(found, x == 0 ? noise : plain);
  }
}

TEST(coded_file, boxes_that_all_grow_take_little_more_than_their_new_size) {
  constexpr std::int64_t side = 64, boxes = 40;
  std::mt19937 random(2);
  const auto noise = [&](unsigned most) {
    std::vector<std::uint16_t> pixels(side * side);
    for (auto& value : pixels) value = static_cast<std::uint16_t>(random() % most);
    return pixels;
  };
  coded_file file({}, 2);
  std::int64_t least = 0;
  for (const unsigned most : {100U, 400U, 1600U}) {
    std::vector<std::vector<std::uint16_t>> written;
    for (std::int64_t i = 0; i < boxes; ++i) {
      written.push_back(noise(most));
      file.write({{0, side * i, 0}, {1, side, side}}, written.back().data());
    }
    coded_file fresh({}, 2);
    for (std::int64_t i = 0; i < boxes; ++i) {
      const image_region box{{0, side * i, 0}, {1, side, side}};
      fresh.write(box, written[static_cast<std::size_t>(i)].data());
      std::vector<std::uint16_t> found(side * side);
      file.read(box, found.data());
      ASSERT_EQ(found, written[static_cast<std::size_t>(i)]) << i;
    }
    EXPECT_GT(fresh.bytes(), least);
    least = fresh.bytes();
    EXPECT_LT(file.bytes(), least * 11 / 10);
  }
}

TEST(coded_file, a_full_disk_names_the_folder) {
  const std::vector<std::uint8_t> pixels(64 * 64, 7);
  const auto folder = std::filesystem::temp_directory_path();
  coded_file file(folder, 1);
  const full_disk full;
  const auto refusal = message_of<io_error>([&] { file.write({{0, 0, 0}, {1, 64, 64}}, pixels.data()); });
  EXPECT_NE(refusal.find("in " + folder.string() + ": "), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("choose a scratch directory with more room"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace macareu::test
