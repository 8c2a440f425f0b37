// The watershed on the cuda device beyond what the conformance tests see: images of several tiles of every
// size, labels of 32 bits, and plateaus so long that steps do not fit one word with the pass.
#include <macareu/catalogue.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"

namespace macareu::test {
namespace {

class watershed_on_gpu : public on_gpu {
 protected:
  void compare(const std::vector<const_image_view>& inputs, const arguments& given) {
    const auto& about = *find_operator("watershed");
    const auto& landscape = inputs[0];
    image labels(dtype::u32, landscape.shape()), expected(dtype::u32, landscape.shape());
    image passes(landscape.type(), landscape.shape()), expected_passes(landscape.type(), landscape.shape());
    run_report report, expected_report;
    auto serial = serial_, there = cuda_;
    serial.report = &expected_report;
    there.report = &report;
    run_operator(about, inputs, std::vector<image_view>{expected, expected_passes}, given, serial);
    run_operator(about, inputs, std::vector<image_view>{labels, passes}, given, there);
    ASSERT_TRUE(same_bits(labels, expected));
    ASSERT_TRUE(same_bits(passes, expected_passes));
    ASSERT_EQ(report.count, expected_report.count);
  }

  /// A plateau that winds through the whole image between walls, one pixel wide.
  template <class T>
  void compare_on_serpentine(const extents& shape) {
    std::vector<T> landscape(static_cast<std::size_t>(shape.pixels()));
    std::vector<std::uint32_t> markers(landscape.size());
    for (std::int64_t i = 0; i < shape.pixels(); ++i) {
      const auto x = i % shape.width(), y = i / shape.width();
      const bool wall = x % 2 == 1 && y != (x / 2 % 2 ? 0 : shape.height() - 1);
      landscape[static_cast<std::size_t>(i)] = static_cast<T>(wall ? 9 : 1);
    }
    markers[0] = 7;
    compare({const_image_view(landscape.data(), shape), const_image_view(markers.data(), shape)},
            {{"connectivity", std::string("face")}});
  }
};

template <class T>
std::vector<T> draw_landscape(dice& from, const extents& shape) {
  const auto kind = from.below(4), values = from.between(2, 6), cell = from.between(2, 30);
  std::vector<T> drawn(static_cast<std::size_t>(shape.pixels()));
  for (std::int64_t i = 0; i < shape.pixels(); ++i) {
    const auto x = i % shape.width(), y = i / shape.width();
    const auto value = kind == 0   ? from.below(256)
                       : kind == 1 ? from.below(values)
                       : kind == 2 ? (x / cell * 7 + y / cell * 5) % values
                                   : (from.once_in(40) ? 255 : 3);
    drawn[static_cast<std::size_t>(i)] = static_cast<T>(value);
  }
  return drawn;
}

TEST_F(watershed_on_gpu, of_several_tiles) {
  for (int i = 0; i < scaled(300); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("watershed_of_several_tiles", i));
    const auto side = [&] {
      return from.once_in(3) ? 64 * from.between(1, 3) + from.between(-1, 1) : from.between(1, 200);
    };
    const extents shape{from.once_in(9) ? 1 : side(), from.once_in(9) ? 1 : side()};
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(shape.pixels()));
    for (auto& each : mask) each = !from.once_in(6);
    std::vector<std::uint32_t> markers(mask.size());
    const bool marked = from.once_in(2), masked = from.once_in(2);
    for (auto& each : markers)
      if (from.once_in(90)) each = static_cast<std::uint32_t>(from.between(1, 0xfffffffd));
    const auto some = static_cast<std::size_t>(from.below(shape.pixels()));
    markers[some] = 5;
    mask[some] = 1;
    arguments given{{"connectivity", std::string(from.once_in(2) ? "full" : "face")}};
    if (!marked) given["h"] = number(from.below(6));
    if (from.once_in(6)) given["lines"] = true;
    const auto run = [&](const auto& landscape) {
      std::vector<const_image_view> inputs{const_image_view(landscape.data(), shape)};
      if (marked || masked) inputs.push_back(marked ? const_image_view(markers.data(), shape) : no_image);
      if (masked) inputs.push_back(const_image_view(mask.data(), shape));
      compare(inputs, given);
    };
    if (i % 3 == 0)
      run(draw_landscape<std::uint8_t>(from, shape));
    else if (i % 3 == 1)
      run(draw_landscape<std::uint16_t>(from, shape));
    else
      run(draw_landscape<float>(from, shape));
    if (HasFatalFailure()) return;
  }
}

TEST_F(watershed_on_gpu, steps_of_more_bits_than_fit_beside_the_pass) {
  compare_on_serpentine<std::uint16_t>({257, 259});
  compare_on_serpentine<std::uint8_t>({2100, 2101});
}

}  // namespace
}  // namespace macareu::test
