// Every pattern on the cuda engine against the serial engine, on odd and strided images.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "cuda/on_gpu.hpp"
#include "engines/cuda/engine.cuh"
#include "engines/serial/engine.hpp"
#include "operators/common/flood.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {

using pixel = std::int16_t;

struct weighted_sum {
  std::int32_t factor;
  MACAREU_HD std::int32_t operator()(site p, pixel a, pixel b) const {
    return factor * a - b + static_cast<std::int32_t>(100 * p.z + 10 * p.y + p.x);
  }
};

struct double_it {
  MACAREU_HD pixel operator()(site, pixel value) const { return static_cast<pixel>(2 * value); }
};

/// Asymmetric in every axis, and reads as far as its radius.
struct lopsided {
  MACAREU_HD window_radius radius() const { return {2, 2, 2}; }
  template <class Near>
  MACAREU_HD std::int64_t operator()(site p, const Near& near) const {
    return near(0, 0, 0) + 2 * near(-1, 0, 0) + 3 * near(1, 0, 0) + 5 * near(0, -2, 1) + 7 * near(0, 2, 0) +
           11 * near(0, 0, -2) + 13 * near(2, -1, 2) + 17 * p.x;
  }
};

/// Sum, and the largest place of a pixel whose two values are equal.
struct sum_and_last {
  struct value {
    std::int64_t sum, last;
    bool operator==(const value&) const = default;
  };
  MACAREU_HD value identity() const { return {0, -1}; }
  MACAREU_HD value lift(site p, pixel a, pixel b) const {
    return {a, a == b ? (p.z * 1000 + p.y) * 1000000 + p.x : -1};
  }
  MACAREU_HD value join(value a, value b) const { return {a.sum + b.sum, a.last > b.last ? a.last : b.last}; }
};

/// Weighs by column; some bins are out of range and must be ignored.
struct weighted_bins {
  template <class Sink>
  MACAREU_HD void operator()(site p, const Sink& sink, pixel a) const {
    sink.add(a / 10, static_cast<std::uint64_t>(p.x + 1));
  }
};

/// The plainest confluent rule that is not a bottleneck: every region takes the smallest label in it.
struct smallest_label {
  static constexpr bool confluent = true;
  MACAREU_HD std::int32_t offer(std::int32_t label, site, site, std::uint8_t inside) const {
    return inside ? label : std::numeric_limits<std::int32_t>::max();
  }
  MACAREU_HD bool better(std::int32_t a, std::int32_t b, site) const { return a < b; }
};
static_assert(general_rule<smallest_label, std::int32_t, std::uint8_t>);
static_assert(!bottleneck_rule<smallest_label, std::int32_t, std::uint8_t>);

namespace {

using cuda_patterns = on_gpu;

// Narrow, wide, one of each, and more tiles than there are blocks.
const extents shapes[] = {{1, 1},      {1, 7},       {9, 1},       {13, 17},     {200, 3},
                          {3, 20000},  {1, 300'001}, {300'001, 1}, {1500, 3001}, {1, 1, 11},
                          {500, 1, 1}, {7, 1, 130},  {4, 5, 6},    {40, 31, 70}};

/// Random strides, or dense.
struct random_image {
  random_image(dice& from, const extents& shape)
      : dense(dtype::i16, shape), strided(from, dtype::i16, shape) {
    for (auto& value : dense.pixels<pixel>()) value = static_cast<pixel>(from.between(-300, 300));
    strided.assign(dense);
    use_dense = from.once_in(2);
  }
  framed<const pixel> in() const {
    return memory_image<const pixel>(use_dense ? const_image_view(dense) : const_image_view(strided));
  }

  image dense;
  strided_image strided;
  bool use_dense;
};

template <class Engine, class Run>
auto on(Run run, const context& how = {}) {
  job work{how, {}};
  Engine engine(work);
  return run(engine);
}

TEST_F(cuda_patterns, map) {
  for (const auto& shape : shapes) {
    dice from(seed_of("cuda_map", shape.pixels()));
    const random_image a(from, shape), b(from, shape);
    strided_image got(from, dtype::i32, shape);
    image expected(dtype::i32, shape);
    const auto run = [&](auto& engine, const image_view& out) {
      engine.map(weighted_sum{3}, memory_image<std::int32_t>(out), a.in(), b.in());
      engine.finish();
    };
    on<cuda::engine>([&](auto& engine) { run(engine, got.view()); });
    on<serial::engine>([&](auto& engine) { run(engine, expected); });
    EXPECT_TRUE(same_bits(got, expected)) << to_string(shape);
    EXPECT_TRUE(got.gaps_untouched());
  }
}

TEST_F(cuda_patterns, maps_of_maps_stay_on_the_device) {
  dice from(seed_of("cuda_maps"));
  const extents shape{37, 211};
  const random_image a(from, shape);
  image out(dtype::i16, shape), expected(dtype::i16, shape);
  const auto run = [&](auto& engine, image& to) {
    const auto place = memory_image<pixel>(image_view(to));
    const auto half = engine.template temporary<pixel>(a.in());
    engine.map(double_it{}, half.image(), a.in());
    engine.map(double_it{}, place, half.reading());
    engine.map(double_it{}, place, place.reading());
    const site p{0, 3, 5};
    EXPECT_EQ(engine.read(place.reading(), p), 8 * a.in().pixels()[p]);
    engine.finish();
  };
  on<cuda::engine>([&](auto& engine) { run(engine, out); });
  on<serial::engine>([&](auto& engine) { run(engine, expected); });
  EXPECT_TRUE(same_bits(out, expected));
}

TEST_F(cuda_patterns, nothing_is_written_before_the_end) {
  dice from(seed_of("cuda_before_the_end"));
  const extents shape{30, 70};
  const random_image a(from, shape);
  std::vector<pixel> out(static_cast<std::size_t>(shape.pixels()), pixel{-999});
  on<cuda::engine>([&](auto& engine) {
    engine.map(double_it{}, memory_image<pixel>(image_view(out.data(), shape)), a.in());
  });
  EXPECT_TRUE(std::ranges::all_of(out, [](pixel value) { return value == -999; }));
}

TEST_F(cuda_patterns, window) {
  for (const auto& shape : shapes)
    for (const auto mode : {border_mode::constant, border_mode::nearest, border_mode::reflect,
                            border_mode::mirror, border_mode::wrap}) {
      dice from(seed_of("cuda_window", shape.pixels(), mode));
      const random_image a(from, shape);
      image got(dtype::i64, shape), expected(dtype::i64, shape);
      const auto run = [&](auto& engine, image& out) {
        engine.window(lopsided{}, border<pixel>{mode, -5}, memory_image<std::int64_t>(image_view(out)),
                      a.in());
        engine.finish();
      };
      on<cuda::engine>([&](auto& engine) { run(engine, got); });
      on<serial::engine>([&](auto& engine) { run(engine, expected); });
      EXPECT_TRUE(same_bits(got, expected)) << to_string(shape) << ", mode " << static_cast<int>(mode);
    }
}

TEST_F(cuda_patterns, reduce) {
  for (const auto& shape : shapes) {
    dice from(seed_of("cuda_reduce", shape.pixels()));
    const random_image a(from, shape), b(from, shape);
    const auto run = [&](auto& engine) { return engine.reduce(sum_and_last{}, a.in(), b.in()); };
    EXPECT_TRUE(on<cuda::engine>(run) == on<serial::engine>(run)) << to_string(shape);
  }
}

TEST_F(cuda_patterns, histogram) {
  for (const auto& shape : shapes) {
    dice from(seed_of("cuda_histogram", shape.pixels()));
    const random_image a(from, shape);
    const auto run = [&](auto& engine) {
      std::array<std::uint64_t, 20> bins{};
      bins.fill(1);  // bins are added to
      engine.histogram(weighted_bins{}, bins, a.in());
      return bins;
    };
    EXPECT_EQ(on<cuda::engine>(run), on<serial::engine>(run)) << to_string(shape);
  }
}

struct label_problem {
  label_problem(dice& from, const extents& s)
      : shape(s), inside(static_cast<std::size_t>(s.pixels())), labels(inside.size()) {
    for (auto& each : inside) each = from.below(100) < 55;
    for (auto& label : labels) label = static_cast<std::int32_t>(from.below(1 << 20));
  }
  template <class Engine>
  image solve(const neighbourhood& near, const context& how = {}) const {
    image state(dtype::i32, shape);
    on<Engine>(
        [&](auto& engine) {
          engine.wave(
              smallest_label{}, near, memory_image<std::int32_t>(image_view(state)),
              mapped(as_given{}, memory_image<const std::int32_t>(const_image_view(labels.data(), shape))),
              memory_image<const std::uint8_t>(const_image_view(inside.data(), shape)));
          engine.finish();
        },
        how);
    return state;
  }

  extents shape;
  std::vector<std::uint8_t> inside;
  std::vector<std::int32_t> labels;
};

TEST_F(cuda_patterns, wave_of_a_general_rule) {
  for (const auto near : {neighbourhood{2, 1}, neighbourhood{2, 2}, neighbourhood{3, 1}, neighbourhood{3, 2},
                          neighbourhood{3, 3}})
    for (std::int64_t i = 0; i < scaled(20); ++i) {
      const auto seed = seed_of("cuda_labels", near.rank, near.reach, i);
      dice from(seed);
      const auto side = [&](int longest) { return from.between(1, i % 5 == 0 ? 8 * longest : longest); };
      const label_problem given(
          from, near.rank == 3 ? extents{side(6), side(9), side(12)} : extents{side(30), side(40)});
      const auto expected = given.solve<serial::engine>(near);
      for (const std::string strategy : {"auto", "sweep", "queue", "megapixel", "diagonal"}) {
        if (strategy == "diagonal" && near.rank == 3) continue;  // for images only
        EXPECT_TRUE(same_bits(given.solve<cuda::engine>(near, {.strategy = strategy}), expected))
            << strategy << ", seed " << seed;
      }
    }
}

TEST_F(cuda_patterns, strategies_for_bottleneck_rules_refuse_a_general_one) {
  dice from(1);
  const label_problem given(from, {10, 10});
  for (const auto* strategy : {"tiles", "contraction"}) {
    const auto refusal = message_of<usage_error>([&] {
      given.solve<cuda::engine>({2, 1}, {.strategy = strategy});
    });
    EXPECT_NE(refusal.find(strategy), std::string::npos) << refusal;
  }
}

}  // namespace
}  // namespace macareu::test
