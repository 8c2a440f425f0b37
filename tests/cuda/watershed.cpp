// The watershed on the cuda device beyond what the conformance tests see: images of several tiles of every
// size, flat tiles, labels of 32 bits, and plateaus so long that steps do not fit one word with the pass.
#include <limits>
#include <type_traits>

#include <macareu/catalogue.hpp>

#include "cuda/on_gpu.hpp"
#include "support/same.hpp"
#include "support/strided.hpp"

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
    drawn[static_cast<std::size_t>(i)] = static_cast<T>(value - (std::is_signed_v<T> ? 100 : 0));
  }
  return drawn;
}

/// visit(a value of one of the types), in turn.
template <class... T, class Visit>
void with_one_of(int turn, Visit&& visit) {
  int at = 0;
  (..., (at++ == turn % static_cast<int>(sizeof...(T)) ? visit(T{}) : void()));
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
    const auto some = static_cast<std::size_t>(from.below(shape.pixels()));
    mask[some] = 1;
    std::vector<std::uint32_t> markers(mask.size());
    const bool marked = from.once_in(2), masked = from.once_in(2);
    for (std::size_t p = 0; p < markers.size(); ++p)
      if (from.once_in(90) && (mask[p] || !masked))
        markers[p] = static_cast<std::uint32_t>(from.between(1, 0xfffffffd));
    markers[some] = 5;
    arguments given{{"connectivity", std::string(from.once_in(2) ? "full" : "face")}};
    if (!marked) given["h"] = number(from.below(6));
    if (from.once_in(6)) given["lines"] = true;
    with_one_of<std::uint8_t, std::uint16_t, float, std::int8_t, std::int16_t, std::int32_t>(i, [&](auto of) {
      using T = decltype(of);
      auto drawn = draw_landscape<T>(from, shape);
      if constexpr (std::is_floating_point_v<T>)
        for (std::size_t p = 0; p < drawn.size() && masked; ++p)
          if (!mask[p]) drawn[p] = std::numeric_limits<T>::quiet_NaN();
      strided_image landscape(from, dtype_of<T>, shape);
      landscape.assign(const_image_view(drawn.data(), shape));
      const bool dense = from.once_in(2);
      std::vector<const_image_view> inputs{dense ? const_image_view(drawn.data(), shape)
                                                 : const_image_view(landscape)};
      if (marked || masked) inputs.push_back(marked ? const_image_view(markers.data(), shape) : no_image);
      if (masked) inputs.push_back(const_image_view(mask.data(), shape));
      compare(inputs, given);
    });
    if (HasFatalFailure()) return;
  }
}

/// Most tiles have one value, so that their rims are found by scans. Walls and seeds are in the others.
TEST_F(watershed_on_gpu, of_flat_tiles) {
  for (int i = 0; i < scaled(48); ++i) {
    SCOPED_TRACE(i);
    dice from(seed_of("watershed_of_flat_tiles", i));
    const extents shape{from.between(130, 500), from.between(130, 500)};
    const auto pixels = static_cast<std::size_t>(shape.pixels());
    const auto some = [&] { return static_cast<std::size_t>(from.below(shape.pixels())); };
    std::vector<std::uint32_t> markers(pixels);
    for (auto left = from.between(1, 6); left > 0; --left)
      markers[some()] = static_cast<std::uint32_t>(from.between(1, 9));
    const arguments given{{"connectivity", std::string(from.once_in(2) ? "full" : "face")}};
    with_one_of<std::uint8_t, std::uint16_t, float, std::int16_t>(i, [&](auto of) {
      using T = decltype(of);
      std::vector<T> landscape(pixels, T{3});
      for (auto left = from.below(5); left > 0; --left) {
        const auto first = some(), length = static_cast<std::size_t>(from.between(1, 150));
        const auto step = from.once_in(2) ? std::size_t{1} : static_cast<std::size_t>(shape.width());
        for (std::size_t k = 0; k < length && first + k * step < pixels; ++k)
          landscape[first + k * step] = static_cast<T>(from.between(2, 4));
      }
      compare({const_image_view(landscape.data(), shape), const_image_view(markers.data(), shape)}, given);
    });
    if (HasFatalFailure()) return;
  }
}

TEST_F(watershed_on_gpu, steps_of_more_bits_than_fit_beside_the_pass) {
  compare_on_serpentine<std::uint16_t>({257, 259});
  compare_on_serpentine<std::uint8_t>({2100, 2101});
}

}  // namespace
}  // namespace macareu::test
