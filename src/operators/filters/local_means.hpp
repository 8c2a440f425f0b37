// Gaussian means of wide windows, of the image at a part of its size, so that their time is bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "operators/common/block_rules.hpp"
#include "operators/common/interpolation.hpp"
#include "operators/filters/gaussian_weights.hpp"
#include "patterns/gather.hpp"
#include "patterns/images.hpp"
#include "patterns/weighted.hpp"

namespace macareu {

template <class Engine>
class local_means {
 public:
  using image = image_in<Engine, const float>;

  /// sigma is a third of the radius. Axes with less than `reduced_from` are not reduced, others by 4 or more,
  /// so that sigma is less than 16 then.
  local_means(Engine& engine, const frame& whole, window_radius radius, double reduced_from)
      : engine_(engine) {
    const std::array radii{radius.z, radius.y, radius.x};
    const std::array sides{whole.depth, whole.height, whole.width};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double sigma = radii[axis] / 3.0;
      factor_[axis] = 1;
      while (sigma >= reduced_from && (factor_[axis] < 4 || sigma >= 16 * static_cast<double>(factor_[axis])))
        factor_[axis] *= 2;
      small_[axis] = ceil_div(sides[axis], factor_[axis]);
      const auto exact = gaussian_weights("local_threshold", sigma / static_cast<double>(factor_[axis]), 4);
      if (exact.size() > 1) weights_[axis].assign(exact.begin(), exact.end());
    }
  }

  bool is_reduced() const { return factor_ != std::array<std::int64_t, 3>{1, 1, 1}; }

  /// The means of `values`. Both may be one image if it is reduced.
  void find(const image_in<Engine, float>& means, const image& values, const border<float>& edge) const {
    const auto& whole = values.whole();
    if (!is_reduced()) return engine_.separable(weights_, edge, means, values);
    const frame small{small_[0], small_[1], small_[2], {0, 0, 0}};
    const auto reduced = temporary<float>(engine_, small), smooth = temporary<float>(engine_, small);
    engine_.gather(
        block_mean<float>{
            {{factor_[0], factor_[1], factor_[2]}, {whole.depth, whole.height, whole.width}, false}},
        reduced.image(), values);
    engine_.separable(weights_, edge, smooth.image(), reduced.reading());
    const auto by_factor = [&](std::size_t axis) { return scaled_axis(1, factor_[axis], small_[axis]); };
    const scaled_image axes{by_factor(0), by_factor(1), by_factor(2)};
    engine_.gather(linear_between<float>{axes}, means, smooth.reading());
  }

 private:
  Engine& engine_;
  std::array<std::int64_t, 3> factor_{}, small_{};
  separable_weights<float> weights_;
};

}  // namespace macareu
