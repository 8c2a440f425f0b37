// The cube root, with the same bits on every processor. cbrt of the C library differs between x86-64 and
// aarch64 for one number in five.
#pragma once

#include <cmath>

namespace macareu {

/// For numbers >= 0 and infinity; within 0.5001 units in the last place.
inline double cube_root(double x) {
  if (!(x > 0) || std::isinf(x)) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  const int third = (exponent + 3000) / 3 - 1000;  // rounded down
  m = std::ldexp(m, exponent - 3 * third);         // 0.5 .. 4
  double y = 0.6 + 0.25 * m;
  for (int i = 0; i < 6; ++i) y = (2 * y + m / (y * y)) / 3;
  // One more step, with the cube in double-double precision.
  const double square = y * y, of_square = std::fma(y, y, -square), cube = square * y,
               of_cube = std::fma(square, y, -cube) + of_square * y;
  return std::ldexp(y + ((m - cube) - of_cube) / (3 * square), third);
}

}  // namespace macareu
