// Waves that travel through more tiles than there are workers: `auto` turns to contraction on the way.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "cuda/serpentine.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

class long_waves : public on_gpu {
 protected:
  void expect_turning(const const_image_view& marker, const const_image_view& mask,
                      const reconstruct_options& options) {
    const auto expected = reconstruct(marker, mask, options, serial_);
    run_report report;
    const auto found = reconstruct(marker, mask, options, {.device = "cuda", .report = &report});
    EXPECT_TRUE(same_bits(found, expected));
    EXPECT_EQ(report.strategy, "tiles, then contraction");
    EXPECT_EQ(report.note, "");
  }

  template <class T>
  void expect_turning_of_serpentines() {
    for (const auto by : {reconstruct_by::dilation, reconstruct_by::erosion})
      for (const int near : {4, 8}) {
        SCOPED_TRACE(std::string(name_of(dtype_of<T>)) + ", " + std::to_string(near) + " neighbours" +
                     (by == reconstruct_by::erosion ? ", erosion" : ""));
        const serpentine<T> given({1024, 8192}, by == reconstruct_by::erosion);
        expect_turning(given.marker, given.mask, {.by = by, .connectivity = near});
      }
  }
};

// 2048 tiles and more, where some 1600 workers have room.
TEST_F(long_waves, of_bytes) { expect_turning_of_serpentines<std::uint8_t>(); }
TEST_F(long_waves, of_16_bits) { expect_turning_of_serpentines<std::uint16_t>(); }
TEST_F(long_waves, of_32_bits) { expect_turning_of_serpentines<float>(); }
TEST_F(long_waves, of_64_bits) { expect_turning_of_serpentines<double>(); }

/// Something moves in every tile at first, so that only time can tell.
template <class T>
serpentine<T> under_noise() {
  serpentine<T> given({1024, 8192});
  for (std::int64_t i = 0; auto& start : given.marker.template pixels<T>()) {
    start = std::max<T>(start, static_cast<T>(i * 7919 / 64 % 3));
    ++i;
  }
  return given;
}

TEST_F(long_waves, under_noise) {
  const auto bytes = under_noise<std::uint8_t>();
  expect_turning(bytes.marker, bytes.mask, {.connectivity = 4});
  const auto floats = under_noise<float>();
  expect_turning(floats.marker, floats.mask, {.connectivity = 8});
}

/// Tiles are given up while many of them wait for their first visit.
TEST_F(long_waves, of_volumes) {
  const noise_pair given({256, 256, 256});
  expect_turning(given.marker_view(), given.mask_view(), {.connectivity = 6});
}

/// Such waves are contracted at once. With another strategy their start is an image.
template <class T>
void expect_contracted_from_border(const context& cuda, const context& serial) {
  dice from(seed_of("from_border", sizeof(T)));
  for (const extents shape : {extents{1, 1}, extents{1, 300}, extents{64, 128}, extents{201, 333}}) {
    SCOPED_TRACE(to_string(shape));
    std::vector<T> pixels(static_cast<std::size_t>(shape.pixels()));
    for (auto& each : pixels) each = static_cast<T>(from.below(250));
    const const_image_view given(pixels.data(), shape);
    for (const auto near : {connectivity::face, connectivity::full}) {
      const auto expected = fill_holes(given, {.connectivity = near}, serial);
      run_report report;
      auto how = cuda;
      how.report = &report;
      EXPECT_TRUE(same_bits(fill_holes(given, {.connectivity = near}, how), expected));
      EXPECT_EQ(report.strategy, "contraction");
      how.strategy = "tiles";
      EXPECT_TRUE(same_bits(fill_holes(given, {.connectivity = near}, how), expected));
      EXPECT_EQ(report.strategy, "tiles");
      EXPECT_TRUE(same_bits(clear_border(given, {.connectivity = near}, cuda),
                            clear_border(given, {.connectivity = near}, serial)));
    }
  }
}

TEST_F(long_waves, from_the_border) {
  expect_contracted_from_border<std::uint8_t>(cuda_, serial_);
  expect_contracted_from_border<std::int16_t>(cuda_, serial_);
  expect_contracted_from_border<float>(cuda_, serial_);
  expect_contracted_from_border<double>(cuda_, serial_);
}

}  // namespace
}  // namespace macareu::test
