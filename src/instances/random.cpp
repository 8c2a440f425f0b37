// Independent random pixels.
#include <algorithm>

#include "instances/families.hpp"
#include "instances/hash.hpp"
#include "instances/rows.hpp"

namespace macareu::formula {

drawing random(const extents& shape, const generate_options& options) {
  return mask_and_marker(options, [=](auto z, auto y, auto* mask, auto* marker) {
    const row_bits bits(options.seed, stream::random, z, y);
    for (std::int64_t x = 0; x < shape.width(); ++x) {
      const auto drawn = bits[x];
      mask[x] = static_cast<std::uint8_t>(drawn);
      if (marker != nullptr) marker[x] = std::min(static_cast<std::uint8_t>(drawn >> 8), mask[x]);
    }
  });
}

drawing percolation(const extents& shape, const generate_options& options) {
  constexpr std::uint64_t share = (std::uint64_t{43} << 32) / 100;
  return mask_and_marker(options, [=](auto z, auto y, auto* mask, auto* marker) {
    const row_bits bits(options.seed, stream::percolation, z, y);
    for (std::int64_t x = 0; x < shape.width(); ++x) mask[x] = bits[x] >> 32 < share ? 255 : 0;
    if (marker == nullptr) return;
    const bool source = shape.rank() == 3 ? z == 0 : y == 0;
    for (std::int64_t x = 0; x < shape.width(); ++x) marker[x] = source ? mask[x] : 0;
  });
}

}  // namespace macareu::formula
