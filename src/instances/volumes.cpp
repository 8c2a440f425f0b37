// Instances with many objects to label.
#include "instances/families.hpp"
#include "instances/rows.hpp"

namespace macareu::formula {

drawing chess(const extents& shape, const generate_options& options) {
  return mask_only(options, [=](auto z, auto y, auto* mask) {
    for (std::int64_t x = 0; x < shape.width(); ++x) mask[x] = (z / 4 + y / 4 + x / 4) % 2 == 0 ? 255 : 0;
  });
}

drawing blocks(const extents& shape, const generate_options& options) {
  return mask_only(options, [=](auto, auto y, auto* mask) {
    for (std::int64_t x = 0; x < shape.width(); ++x) mask[x] = y % 32 < 24 && x % 32 < 24 ? 255 : 0;
  });
}

}  // namespace macareu::formula
