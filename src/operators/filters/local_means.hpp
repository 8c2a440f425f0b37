// Gaussian means of wide windows, of the image at a quarter of its size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "operators/filters/gaussian_weights.hpp"
#include "operators/common/block_rules.hpp"
#include "operators/common/interpolation.hpp"
#include "patterns/gather.hpp"
#include "patterns/images.hpp"
#include "patterns/weighted.hpp"

namespace macareu {

template <class Engine>
class local_means {
 public:
  using image = image_in<Engine, const float>;

  /// sigma is a third of the radius. Axes with less than 4 are not reduced.
  local_means(Engine& engine, const image& of, window_radius radius) : engine_(engine), of_(of) {
    const auto& whole = of.whole();
    const std::array radii{radius.z, radius.y, radius.x};
    const std::array sides{whole.depth, whole.height, whole.width};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double sigma = radii[axis] / 3.0;
      factor_[axis] = sigma >= 4 ? 4 : 1;
      small_[axis] = ceil_div(sides[axis], factor_[axis]);
      const auto exact = gaussian_weights("local_threshold", sigma / static_cast<double>(factor_[axis]), 4);
      if (exact.size() > 1) weights_[axis].assign(exact.begin(), exact.end());
    }
  }

  /// Of rule(pixel).
  template <class Rule>
  auto of(const Rule& rule, const border<float>& edge) const {
    const auto& whole = of_.whole();
    auto result = temporary<float>(engine_, of_);
    const frame small{small_[0], small_[1], small_[2], {0, 0, 0}};
    const auto reduced = temporary<float>(engine_, small), smooth = temporary<float>(engine_, small);
    engine_.map(rule, result.image(), of_);
    engine_.gather(
        block_mean<float>{
            {{factor_[0], factor_[1], factor_[2]}, {whole.depth, whole.height, whole.width}, false}},
        reduced.image(), result.reading());
    engine_.separable(weights_, edge, smooth.image(), reduced.reading());
    const auto by_factor = [&](std::size_t axis) { return scaled_axis(1, factor_[axis], small_[axis]); };
    const scaled_image axes{by_factor(0), by_factor(1), by_factor(2)};
    engine_.gather(linear_between<float>{axes}, result.image(), smooth.reading());
    return result;
  }

 private:
  Engine& engine_;
  image of_;
  std::array<std::int64_t, 3> factor_{}, small_{};
  separable_weights<float> weights_;
};

}  // namespace macareu
