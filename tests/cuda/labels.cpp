// Labels on the cuda device beyond what the conformance tests see: images of many tiles, images in device
// memory, and pieces of every thickness, on several GPUs too.
#include <cstring>
#include <limits>
#include <utility>

#include <macareu/error.hpp>
#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

class labels_on_gpu : public on_gpu {
 protected:
  /// Set with a chance of `density` in ten; the last two kinds are a checkerboard and everything.
  static image draw(dice& from, const extents& shape) {
    image drawn(dtype::u8, shape);
    auto* const pixels = static_cast<std::uint8_t*>(drawn.data());
    const auto density = from.between(1, 11);
    for (std::int64_t i = 0; i < shape.pixels(); ++i) {
      const auto x = i % shape.width(), y = i / shape.width() % shape.height(),
                 z = i / shape.width() / shape.height();
      const bool set = density == 10 ? (x + y + z) % 2 == 0 : density == 11 || from.below(10) < density;
      pixels[i] = static_cast<std::uint8_t>(set ? from.between(1, 3) : 0);
    }
    return drawn;
  }
  static extents draw_shape(dice& from, int rank, std::int64_t longest) {
    if (rank == 2) return {from.between(1, 3 * longest), from.between(1, 3 * longest)};
    return {from.between(1, longest / 2), from.between(1, longest / 2), from.between(1, 3 * longest)};
  }
  static label_options draw_parameters(dice& from, int rank) {
    label_options given;
    given.connectivity = connectivity(from.pick(rank == 2 ? std::vector{4, 8} : std::vector{6, 18, 26}));
    given.values = from.once_in(3);
    if (given.values && from.once_in(2)) given.background = 2;
    if (!given.values && from.once_in(3)) given.intervals = {{1, 1}, {2, 3}};
    if (from.once_in(3)) given.type = label_type::u64;
    return given;
  }

  void compare(dice& from, const context& how, std::int64_t longest) {
    const int rank = from.once_in(2) ? 2 : 3;
    const auto drawn = draw(from, draw_shape(from, rank, longest));
    const auto given = draw_parameters(from, rank);
    run_report expected_report, report;
    auto serial = serial_, there = how;
    serial.report = &expected_report;
    there.report = &report;
    const auto expected = label(drawn, given, serial);
    ASSERT_TRUE(same_bits(label(drawn, given, there), expected)) << to_string(drawn.shape());
    ASSERT_EQ(report.count, expected_report.count) << to_string(drawn.shape());
  }
};

TEST_F(labels_on_gpu, of_many_tiles) {
  for (int i = 0; i < scaled(400); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("of_many_tiles", i));
    compare(from, cuda_, 90);
    if (HasFatalFailure()) return;
  }
}

TEST_F(labels_on_gpu, in_pieces_by_a_pool) {
  for (const auto* pool : {"cuda:0,cuda:0", "cuda:0,cuda:0,cuda:0"})
    for (int i = 0; i < scaled(150); ++i) {
      SCOPED_TRACE(i);
      dice from(seed_of("in_pieces_by_a_pool", i));
      compare(from, {.device = pool}, i % 4 == 0 ? 90 : 30);
      if (HasFatalFailure()) return;
    }
}

TEST_F(labels_on_gpu, in_pieces_that_fit_the_memory) {
  for (int i = 0; i < scaled(100); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("in_pieces_that_fit_the_memory", i));
    compare(from, {.device = "cuda", .gpu_memory = from.between(4, 16) << 16}, 60);
    if (HasFatalFailure()) return;
  }
}

TEST_F(labels_on_gpu, in_pieces_of_a_wanted_thickness) {
  for (const auto* device : {"cuda", "cuda:0,cuda:0"})
    for (int i = 0; i < scaled(100); ++i) {
      SCOPED_TRACE(i);
      dice from(seed_of("in_pieces_of_a_wanted_thickness", i));
      const int rank = from.once_in(2) ? 2 : 3;
      const auto drawn = draw(from, draw_shape(from, rank, 30));
      auto given = draw_parameters(from, rank);
      const auto expected = label(drawn, given, serial_);
      given.blocks = from.between(1, drawn.shape()[0] + 2);
      ASSERT_TRUE(same_bits(label(drawn, given, {.device = device}), expected)) << to_string(drawn.shape());
    }
}

TEST_F(labels_on_gpu, of_more_than_2_to_the_24_objects) {
  const extents shape{8192, 8192};
  image dots(dtype::u8, shape);
  const auto pixels = dots.pixels<std::uint8_t>();
  for (std::int64_t i = 0; i < shape.pixels(); ++i)
    pixels[static_cast<std::size_t>(i)] = (i / shape.width() + i) % 2 == 0;
  for (const auto blocks : {number(std::numeric_limits<double>::infinity()), number(1000)})
    for (const auto& [near, objects] : {std::pair{4, std::int64_t{1} << 25}, {8, std::int64_t{1}}}) {
      run_report report;
      const auto labels = label(dots, {.connectivity = connectivity(near), .blocks = blocks},
                                {.device = "cuda", .report = &report});
      EXPECT_EQ(report.count, objects);
      std::uint32_t count = 0;
      std::int64_t wrong = 0;
      for (std::size_t i = 0; const auto label : labels.pixels<std::uint32_t>())
        wrong += label != (pixels[i++] == 0 ? 0 : near == 4 ? ++count : 1);
      EXPECT_EQ(wrong, 0);
    }
}

TEST_F(labels_on_gpu, with_any_strides) {
  for (const auto* device : {"cuda", "cuda:0,cuda:0"})
    for (const auto& shape : {extents{211, 137}, extents{1, 5000}, extents{9, 31, 70}})
      for (int i = 0; i < 5; ++i) {
        dice from(seed_of("with_any_strides", shape.pixels(), i));
        const auto drawn = draw(from, shape);
        strided_image in(from, dtype::u8, shape), out(from, dtype::u32, shape);
        in.assign(drawn);
        label(in, out.view(), {}, {.device = device});
        EXPECT_TRUE(same_bits(out, label(drawn, {}, serial_)));
        EXPECT_TRUE(out.gaps_untouched());
      }
}

TEST_F(labels_on_gpu, a_slice_that_does_not_fit_is_refused) {
  const image large(dtype::u8, {4, 1000, 1000});
  const auto refusal =
      message_of<usage_error>([&] { label(large, {}, {.device = "cuda", .gpu_memory = 1 << 20}); });
  EXPECT_NE(refusal.find("of the GPU, but the limit is"), std::string::npos) << refusal;
}

TEST_F(labels_on_gpu, other_operators_take_a_pool) {
  const noise_pair given({20, 20});
  const context pool{.device = "cuda:0,cuda:0"};
  EXPECT_TRUE(same_bits(fill_holes(given.mask_view(), {}, pool), fill_holes(given.mask_view(), {}, serial_)));
}

/// Pieces are written while others are read, so the input is copied where the result replaces it.
TEST_F(labels_on_gpu, a_pool_may_replace_its_input) {
  const noise_pair given({200, 300});
  image first(dtype::u8, {200, 300}), second(dtype::u8, {200, 300});
  for (auto* const pixels : {&first, &second})
    std::memcpy(pixels->data(), given.mask_view().data(), static_cast<std::size_t>(first.bytes()));
  invert(first, first, {}, {.device = "cuda:0,cuda:0"});
  invert(second, second, {}, serial_);
  EXPECT_TRUE(same_bits(first, second));
}

}  // namespace
}  // namespace macareu::test
