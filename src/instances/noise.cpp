#include "instances/noise.hpp"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "instances/families.hpp"
#include "instances/rows.hpp"

namespace macareu::formula {

/// mask = (4 v_6 + 2 v_5 + v_4) / 7 in 8 bits, where v_k is value noise in cells of 2^k pixels; marker = mask
/// - 32.
instance noise(const extents& shape, const generate_options& options) {
  const auto width = shape.width();
  const auto octave = [&](std::uint64_t k) { return lattice(key_of(options.seed, stream::noise, k)); };
  const lattice coarse = octave(0), middle = octave(1), fine = octave(2);
  std::vector<std::int32_t> scratch(static_cast<std::size_t>(width * omp_get_max_threads()));
  return mask_and_marker(shape, options, [&](auto z, auto y, auto* mask, auto* marker) {
    auto* sum = scratch.data() + width * omp_get_thread_num();
    std::fill_n(sum, width, 0);
    add_noise(coarse, 6, 4, z, y, width, sum);
    add_noise(middle, 5, 2, z, y, width, sum);
    add_noise(fine, 4, 1, z, y, width, sum);
    for (std::int64_t x = 0; x < width; ++x) {
      const auto value = sum[x] / 7 >> 8;
      mask[x] = static_cast<std::uint8_t>(value);
      marker[x] = static_cast<std::uint8_t>(std::max(value - 32, 0));
    }
  });
}

}  // namespace macareu::formula
