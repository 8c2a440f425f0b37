// How a call runs: stop, progress, reports, empty images, threads, and processes that fork.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <span>
#include <stop_token>
#include <thread>

#include "operators/pictures.hpp"

namespace macareu::test {
namespace {

arguments required_arguments(const operator_description& about) {
  arguments given;
  for (const auto& parameter : about.parameters)
    if (parameter.default_text.empty()) given.emplace(parameter.name, number(1));
  return given;
}

/// Every device with every strategy it has for waves.
std::vector<context> all_contexts(int threads) {
  std::vector<context> all;
  for (const auto device : devices()) {
    all.push_back({.device = std::string(device), .threads = threads});
    for (const auto strategy : strategies(device, "wave"))
      all.push_back({.device = std::string(device), .strategy = std::string(strategy), .threads = threads});
  }
  return all;
}

/// Noise large enough for many tiles and several threads.
picture<std::uint8_t> noise(const extents& shape) {
  dice from(seed_of("noise", shape.pixels()));
  picture<std::uint8_t> drawn{shape, std::vector<std::uint8_t>(static_cast<std::size_t>(shape.pixels()))};
  for (auto& value : drawn.pixels) value = static_cast<std::uint8_t>(from.below(256));
  return drawn;
}

/// The contexts name the strategies of the wave.
bool knows(const operator_description& about, const context& how) {
  return how.strategy == "auto" || about.pattern == "wave";
}

TEST(contexts, a_stop_that_is_set_interrupts) {
  const auto f = noise({300, 300});
  std::stop_source source;
  source.request_stop();
  for (auto how : all_contexts(2)) {
    how.stop = source.get_token();
    for (const auto& about : catalogue()) {
      if (about.name == "measure" || !knows(about, how)) continue;
      const std::vector<const_image_view> inputs(about.inputs.size(), in_channels_of(about, f.view()));
      const auto given = required_arguments(about);
      if (!about.table.empty()) {
        EXPECT_THROW(compute_table(about, inputs, given, how), interrupted) << about.name;
        continue;
      }
      if (!about.shapes.empty()) {
        EXPECT_THROW(compute_shapes(about, inputs, given, how), interrupted) << about.name;
        continue;
      }
      EXPECT_THROW(run_operator(about, inputs, given, how), interrupted)
          << about.name << " on " << how.device;
      image out(output_type(about, 0, dtype::u8, f.shape, given), output_shape(about, 0, f.shape, given),
                output_channels(about, 0, inputs[0].channels(), given));
      std::memset(out.data(), 0xa5, out.bytes());
      EXPECT_THROW(run_operator(about, inputs, std::array<image_view, 1>{out}, given, how), interrupted);
      const std::span bytes(static_cast<const std::uint8_t*>(out.data()), out.bytes());
      EXPECT_TRUE(std::ranges::all_of(bytes, [](int value) { return value == 0xa5; }))
          << about.name << " on " << how.device << " wrote after a stop that came first";
    }
  }
}

TEST(contexts, a_stop_during_the_work_interrupts) {
  const auto mask = noise({1200, 1200});
  auto marker = mask;
  for (auto& value : marker.pixels) value = static_cast<std::uint8_t>(value / 2);
  for (auto how : all_contexts(2)) {
    std::stop_source source;
    how.stop = source.get_token();
    const std::jthread stopper([&source] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      source.request_stop();
    });
    const auto work_on = [&] {
      while (true) reconstruct(std::as_const(marker).view(), mask.view(), {}, how);
    };
    EXPECT_THROW(work_on(), interrupted) << how.device << ", " << how.strategy;
    how.stop = {};
    EXPECT_NO_THROW(reconstruct(std::as_const(marker).view(), mask.view(), {}, how))
        << "the next call is fresh";
  }
}

TEST(contexts, progress_never_falls) {
  const auto mask = noise({700, 900});
  auto marker = mask;
  for (auto& value : marker.pixels) value = static_cast<std::uint8_t>(value / 2);
  for (auto how : all_contexts(2)) {
    std::vector<double> seen;
    how.progress = [&](double share) { seen.push_back(share); };
    reconstruct(std::as_const(marker).view(), mask.view(), {}, how);
    EXPECT_TRUE(std::ranges::is_sorted(seen)) << how.device << ", " << how.strategy;
    for (const double share : seen) EXPECT_TRUE(share >= 0 && share <= 1) << share;
    ASSERT_FALSE(seen.empty()) << how.device << ", " << how.strategy;
    EXPECT_EQ(seen.back(), 1) << how.device << ", " << how.strategy;
  }
}

/// Of every operator, on the way and not only when all is done; and there it can be stopped.
TEST(contexts, every_operator_tells_its_progress_and_stops_on_the_way) {
  const auto f = noise({640, 700});
  const picture<std::uint8_t> weights{{3, 3}, std::vector<std::uint8_t>(9, 1)};
  for (const std::string device : {"serial", "cpu"})
    for (std::size_t turn = device == "cpu"; const auto& about : catalogue()) {
      if (share_of_images() < 1 && turn++ % 2 == 0) continue;  // one device after the other
      std::vector<const_image_view> inputs;
      for (const auto& input : about.inputs)
        if (!input.optional)
          inputs.push_back(input.own_form ? weights.view() : in_channels_of(about, f.view()));
      const auto run = [&](const context& how) {
        if (!about.shapes.empty())
          compute_shapes(about, inputs, required_arguments(about), how);
        else if (about.table.empty())
          run_operator(about, inputs, required_arguments(about), how);
        else
          compute_table(about, inputs, required_arguments(about), how);
      };
      std::vector<double> told;
      context how{.device = device, .threads = 1};
      how.progress = [&](double done) { told.push_back(done); };
      run(how);
      EXPECT_TRUE(std::ranges::is_sorted(told)) << about.name << " on " << device;
      EXPECT_GT(told.size(), 4u) << about.name << " on " << device;
      EXPECT_EQ(told.back(), 1);
      std::stop_source source;
      double last = 0;
      how.stop = source.get_token();
      how.progress = [&](double done) {
        last = done;
        source.request_stop();
      };
      EXPECT_THROW(run(how), interrupted) << about.name << " on " << device;
      EXPECT_LT(last, 1) << about.name << " on " << device;
    }
}

TEST(contexts, reports_say_what_ran) {
  const auto f = noise({300, 300});
  for (auto how : all_contexts(2)) {
    run_report report;
    report.compute_seconds = -1;
    how.report = &report;
    maxima(f.view(), {}, how);
    EXPECT_EQ(report.device, how.device);
    EXPECT_GE(report.compute_seconds, 0);
    if (how.strategy != "auto") {
      EXPECT_EQ(report.strategy, how.strategy);
    } else if (!strategies(how.device, "wave").empty()) {
      EXPECT_FALSE(report.strategy.empty());
    }
    if (report.strategy == "tiles") {
      EXPECT_GT(report.tiles, 0);
      EXPECT_GT(report.passes, 0);
    }
  }
  run_report chosen;
  maxima(f.view(), {}, {.report = &chosen});
  EXPECT_NE(chosen.device, "auto") << "the report names the device that was chosen";
}

TEST(contexts, a_report_of_a_run_holds_nothing_of_the_last) {
  run_report report;
  report.tiles = report.passes = report.rounds = 12345;
  report.strategy = "left over";
  const auto f = noise({20, 20});
  maxima(f.view(), {}, {.device = "serial", .report = &report});
  EXPECT_EQ(report.tiles, -1);
  EXPECT_EQ(report.passes, -1);
  EXPECT_EQ(report.rounds, -1);
  EXPECT_EQ(report.strategy, "");
}

TEST(contexts, empty_images_give_empty_images) {
  for (const auto& shape :
       {extents{0, 0}, extents{0, 5}, extents{5, 0}, extents{0, 3, 3}, extents{3, 0, 3}, extents{3, 3, 0}})
    for (const auto type : all_types)
      for (const auto& how : all_contexts(2))
        for (const auto& about : catalogue()) {
          if (about.name == "measure" || !knows(about, how) || !takes(about, type)) continue;
          const image nothing(type, shape);
          const std::vector<const_image_view> inputs(about.inputs.size(), in_channels_of(about, nothing));
          if (!about.table.empty()) {
            EXPECT_EQ(compute_table(about, inputs, required_arguments(about), how).rows(), 0u) << about.name;
            continue;
          }
          if (!about.shapes.empty()) {
            EXPECT_TRUE(compute_shapes(about, inputs, required_arguments(about), how).empty()) << about.name;
            continue;
          }
          const auto results = run_operator(about, inputs, required_arguments(about), how);
          ASSERT_EQ(std::ssize(results),
                    std::ranges::count(about.outputs, false, &output_description::optional));
          const auto result = output_shape(about, 0, shape, required_arguments(about));
          EXPECT_EQ(result.pixels(), 0) << about.name;
          EXPECT_EQ(results[0].shape(), result);
          image out(results[0].type(), result, results[0].channels());
          EXPECT_NO_THROW(
              run_operator(about, inputs, std::array<image_view, 1>{out}, required_arguments(about), how))
              << about.name << ", " << to_string(shape);
        }
}

TEST(contexts, a_single_pixel) {
  const picture<std::int16_t> one{{1, 1}, {-7}};
  for (const auto& how : all_contexts(3)) {
    EXPECT_EQ(values_of<std::int16_t>(reconstruct(one.view(), one.view(), {}, how)), one.pixels);
    EXPECT_EQ(values_of<std::int16_t>(fill_holes(one.view(), {}, how)), one.pixels);
    EXPECT_EQ(values_of<std::int16_t>(hmax(one.view(), {.h = 2}, how)), (std::vector<std::int16_t>{-9}));
    EXPECT_EQ(values_of<std::uint8_t>(maxima(one.view(), {}, how)), (std::vector<std::uint8_t>{0}));
  }
}

TEST(contexts, more_threads_than_rows_tiles_or_processors) {
  const auto f = noise({3, 50});
  const auto expected = hmax(f.view(), {.h = 40}, on_serial);
  for (const auto& how : all_contexts(16))
    EXPECT_TRUE(same_bits(hmax(f.view(), {.h = 40}, how), expected)) << how.strategy;
}

TEST(contexts, calls_from_several_threads_at_once) {
  const auto f = noise({200, 300});
  const auto expected = fill_holes(f.view(), {}, on_serial);
  std::vector<image> results(4);
  {
    std::vector<std::jthread> callers;
    for (auto& result : results)
      callers.emplace_back([&] { result = fill_holes(f.view(), {}, {.device = "cpu", .threads = 2}); });
  }
  for (const auto& result : results) EXPECT_TRUE(same_bits(result, expected));
}

/// A child has none of its parent's helpers.
TEST(contexts, a_fork_after_use_does_not_hang) {
  const auto f = noise({300, 300});
  const auto expected = fill_holes(f.view(), {}, on_serial);
  const context two{.device = "cpu", .threads = 2};
  ASSERT_TRUE(same_bits(fill_holes(f.view(), {}, two), expected));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool same = bool{same_bits(fill_holes(f.view(), {}, two), expected)};
    _exit(same ? 0 : 1);
  }
  int status = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      FAIL() << "the child hangs";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(same_bits(fill_holes(f.view(), {}, two), expected)) << "the parent goes on";
}

}  // namespace
}  // namespace macareu::test
