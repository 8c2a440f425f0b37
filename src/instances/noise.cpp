#include "instances/noise.hpp"

#include <algorithm>
#include <array>

#include "instances/families.hpp"
#include "instances/rows.hpp"

namespace macareu::formula {

/// mask = (4 v_6 + 2 v_5 + v_4) / 7 in 8 bits, where v_k is value noise in cells of 2^k pixels; marker = mask
/// - 32.
drawing noise(const extents& shape, const generate_options& options) {
  const auto octave = [&](std::uint64_t k) { return lattice(key_of(options.seed, stream::noise, k)); };
  const lattice coarse = octave(0), middle = octave(1), fine = octave(2);
  return mask_and_marker(options, [=](auto z, auto y, auto* mask, auto* marker) {
    for (std::int64_t left = 0; left < shape.width(); left += segment) {
      const auto width = std::min(segment, shape.width() - left);
      std::array<std::int32_t, segment> sum{};
      add_noise(coarse, 6, 4, z, y, left, width, sum.data());
      add_noise(middle, 5, 2, z, y, left, width, sum.data());
      add_noise(fine, 4, 1, z, y, left, width, sum.data());
      for (std::int64_t i = 0; i < width; ++i) {
        const auto value = sum[i] / 7 >> 8;
        mask[left + i] = static_cast<std::uint8_t>(value);
        if (marker != nullptr) marker[left + i] = static_cast<std::uint8_t>(std::max(value - 32, 0));
      }
    }
  });
}

}  // namespace macareu::formula
