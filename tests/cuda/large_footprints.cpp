// Footprints on the cuda device that take large blocks or several passes, which conformance tests are too
// small for.
#include <cstdint>
#include <vector>

#include <macareu/operators.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

namespace macareu::test {
namespace {

class large_footprints : public on_gpu {
 protected:
  template <class T>
  void compare(dice& from, const extents& shape, const erosion_options& options) {
    std::vector<T> drawn(static_cast<std::size_t>(shape.pixels()));
    for (auto& each : drawn) each = static_cast<T>(from.below(65536));
    strided_image image(from, dtype_of<T>, shape);
    image.assign(const_image_view(drawn.data(), shape));
    const auto expected = erosion(image, options, serial_);
    ASSERT_TRUE(same_bits(erosion(image, options, cuda_), expected));
    ASSERT_TRUE(same_bits(erosion(const_image_view(drawn.data(), shape), options, cuda_), expected));
  }

  void compare_types(const char* name, int number, const erosion_options& options) {
    dice from(seed_of(name, number));
    const extents shape{from.between(60, 140), from.between(60, 140)};
    compare<std::uint8_t>(from, shape, options);
    compare<std::int16_t>(from, shape, options);
    compare<float>(from, shape, options);
    compare<double>(from, shape, options);
  }
};

TEST_F(large_footprints, discs) {
  for (const int radius : {12, 13, 20, 31, 40, 50, 52, 60}) {
    SCOPED_TRACE(radius);
    compare_types("discs", radius, {.radius = radius});
    if (HasFatalFailure()) return;
  }
}

TEST_F(large_footprints, discs_beyond_the_border) {
  for (const auto border : {erosion_border::constant, erosion_border::nearest, erosion_border::reflect,
                            erosion_border::mirror, erosion_border::wrap}) {
    SCOPED_TRACE(static_cast<int>(border));
    compare_types("borders", static_cast<int>(border), {.radius = 25, .border = border, .outside = 90});
    if (HasFatalFailure()) return;
  }
}

TEST_F(large_footprints, lines) {
  for (const int angle : {0, 20, 45, 90, 131}) {
    SCOPED_TRACE(angle);
    compare_types("lines", angle, {.element = erosion_element::line, .length = 300, .angle = angle});
    if (HasFatalFailure()) return;
  }
}

TEST_F(large_footprints, scattered_pixels) {
  for (int i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("footprints", i));
    const extents shape{from.between(30, 130), from.between(30, 130)};
    std::vector<std::uint8_t> footprint(static_cast<std::size_t>(shape.pixels()));
    for (auto& each : footprint) each = from.once_in(4);
    footprint[0] = 1;
    compare_types("scattered", i, {.footprint = const_image_view(footprint.data(), shape)});
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace macareu::test
