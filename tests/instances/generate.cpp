#include <macareu/generate.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include <macareu/error.hpp>

namespace macareu {
namespace {

std::string message_of(std::string_view name, const extents& shape, const generate_options& options = {}) {
  try {
    generate(name, shape, options);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "no usage_error";
}

TEST(Generate, ListsEveryInstanceOnceWithASentence) {
  std::set<std::string_view> names;
  for (const auto& d : instances()) {
    EXPECT_TRUE(names.insert(d.name).second) << d.name;
    EXPECT_FALSE(d.brief.empty()) << d.name;
    EXPECT_TRUE(d.images || d.volumes) << d.name;
  }
  for (const auto* name : {"random", "flat", "serpentine", "spiral", "percolation", "tissue", "slide",
                           "noise", "sites-1", "sites-10", "circles16", "big-circle", "central-circle",
                           "corner-squares", "diagonal", "cross", "chess", "blocks", "snake"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST(Generate, UnknownNameNamesTheValidOnes) {
  const auto message = message_of("tissues", {8, 8});
  EXPECT_NE(message.find("tissues"), std::string::npos) << message;
  for (const auto& d : instances()) EXPECT_NE(message.find(d.name), std::string::npos) << message;
}

TEST(Generate, WrongRankNamesTheValidOnes) {
  for (const auto& d : instances()) {
    if (d.volumes) continue;
    const auto message = message_of(d.name, {4, 8, 8});
    EXPECT_NE(message.find("4 x 8 x 8"), std::string::npos) << message;
    EXPECT_NE(message.find("serpentine, spiral"), std::string::npos) << message;
    EXPECT_EQ(message.find("cross,"), std::string::npos) << message;
  }
}

TEST(Generate, CoverageIsOneOfFour) {
  for (const std::string name : {"tissue", "slide"}) {
    EXPECT_EQ(message_of(name, {8, 8}, {.coverage = 60}),
              name + ": coverage is 25, 50, 75 or 100 per cent, got 60");
    for (const int coverage : {25, 50, 75, 100})
      EXPECT_NO_THROW(generate(name, {8, 8}, {.coverage = coverage}));
  }
}

TEST(Generate, AStopInterrupts) {
  std::stop_source source;
  const generate_options how{.stop = source.get_token()};
  for (const auto& d : instances()) EXPECT_NO_THROW(generate(d.name, {40, 40}, how)) << d.name;
  source.request_stop();
  for (const auto& d : instances()) EXPECT_THROW(generate(d.name, {40, 40}, how), interrupted) << d.name;
}

TEST(Generate, AStopDuringTheWorkInterrupts) {
  std::stop_source source;
  const std::jthread stopper([&source] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source.request_stop();
  });
  EXPECT_THROW(generate("tissue", {20000, 20000}, {.stop = source.get_token()}), interrupted);
}

/// Every shape gives images of that shape, a marker where one is promised, and nowhere above its mask.
TEST(Generate, EveryShape) {
  const extents images[] = {{0, 0}, {0, 9}, {9, 0}, {1, 1}, {1, 2},   {2, 1},   {1, 200}, {200, 1},
                            {2, 2}, {3, 3}, {2, 7}, {7, 2}, {33, 31}, {64, 65}, {5, 300}, {300, 5}};
  const extents volumes[] = {{0, 4, 4},  {4, 0, 4},  {4, 4, 0}, {1, 1, 1},
                             {1, 1, 50}, {50, 1, 1}, {5, 7, 9}, {8, 4, 6}};
  const auto check = [](const instance_description& d, const extents& shape) {
    SCOPED_TRACE(std::string(d.name) + " " + to_string(shape));
    const auto made = generate(d.name, shape);
    EXPECT_EQ(made.mask.shape(), shape);
    EXPECT_EQ(made.mask.type(), dtype::u8);
    EXPECT_EQ(made.mask.channels(), d.channels);
    ASSERT_EQ(made.truth.has_value(), d.truth);
    if (d.truth) {
      EXPECT_EQ(made.truth->shape(), shape);
    }
    ASSERT_EQ(made.marker.has_value(), d.marker);
    if (!d.marker) return;
    EXPECT_EQ(made.marker->shape(), shape);
    const auto marker = made.marker->pixels<std::uint8_t>();
    EXPECT_TRUE(std::ranges::equal(marker, made.mask.pixels<std::uint8_t>(), std::ranges::less_equal{}));
    EXPECT_TRUE(d.name != "flat" || shape.pixels() == 0 || marker[0] == 255);
  };
  for (const auto& d : instances()) {
    for (const auto& shape : images)
      if (d.images) check(d, shape);
    for (const auto& shape : volumes)
      if (d.volumes) check(d, shape);
  }
}

}  // namespace
}  // namespace macareu
