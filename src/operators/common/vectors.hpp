// Vectors of three numbers.
#pragma once

#include <array>

namespace macareu {

using three_numbers = std::array<double, 3>;

inline double dot(const three_numbers& a, const three_numbers& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline three_numbers cross(const three_numbers& a, const three_numbers& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

}  // namespace macareu
