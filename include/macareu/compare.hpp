// Differences between two images.
#pragma once

#include <array>
#include <cstdint>
#include <stop_token>

#include <macareu/image.hpp>

namespace macareu {

struct comparison {
  std::int64_t pixels = 0;              ///< compared, channels counted one by one
  std::int64_t different = 0;           ///< values that are not equal; two NaN are equal
  double largest = 0;                   ///< largest absolute difference
  std::array<std::int64_t, 3> first{};  ///< z, y, x of the first difference
  double left = 0, right = 0;           ///< the values there
};

/// Throws usage_error where shape, pixel type or channels differ, and `interrupted` when stop is set.
comparison compare(const const_image_view& left, const const_image_view& right, std::stop_token stop = {});

/// Compares two edge maps, whose edge pixels are those that are not 0.
struct edge_comparison {
  std::int64_t expected = 0;  ///< edge pixels of the reference
  std::int64_t found = 0;     ///< edge pixels of the other map
  std::int64_t both = 0;      ///< pixels that are edges in both

  /// Fractions of the larger number of edge pixels. Two maps without edges give 1, 0 and 0.
  double correct() const { return most() == 0 ? 1 : share(both); }
  double not_detected() const { return share(expected - both); }
  double false_alarms() const { return share(found - both); }

 private:
  std::int64_t most() const { return expected > found ? expected : found; }
  double share(std::int64_t count) const {
    return most() == 0 ? 0 : static_cast<double>(count) / static_cast<double>(most());
  }
};

/// Throws usage_error if shapes differ or an image has several channels.
edge_comparison compare_edges(const const_image_view& reference, const const_image_view& found);

}  // namespace macareu
