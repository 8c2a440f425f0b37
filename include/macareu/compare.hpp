// How far two images are apart.
#pragma once

#include <array>
#include <cstdint>

#include <macareu/image.hpp>

namespace macareu {

struct comparison {
  std::int64_t pixels = 0;              ///< compared, channels counted one by one
  std::int64_t different = 0;           ///< values that are not equal; two NaN are equal
  double largest = 0;                   ///< largest absolute difference
  std::array<std::int64_t, 3> first{};  ///< z, y, x of the first difference
  double left = 0, right = 0;           ///< the values there
};

/// Throws usage_error where shape, pixel type or channels differ.
comparison compare(const const_image_view& left, const const_image_view& right);

}  // namespace macareu
