// atan2 from +, -, * and / alone, so that every platform gives the same bits; C libraries differ.
#pragma once

#include "core/macros.hpp"

namespace macareu {

/// In (-pi, pi], within 7e-16 of the true angle; 0 at (0, 0). Signs of zeros are ignored.
MACAREU_HD inline double angle_of(double y, double x) {
  constexpr double pi = 3.14159265358979323846, root_3 = 1.7320508075688772,
                   tan_15_degrees = 0.2679491924311227;
  const double height = y < 0 ? -y : y, width = x < 0 ? -x : x;
  if (height == 0 && width == 0) return 0;
  double t = height < width ? height / width : width / height;
  const bool shifted = t > tan_15_degrees;
  if (shifted) t = (t * root_3 - 1) / (t + root_3);  // the tangent of the angle less 30 degrees
  const double square = t * t;
  double series = 0;
  for (int n = 27; n > 0; n -= 2) series = 1.0 / n - square * series;
  double angle = t * series;
  if (shifted) angle += pi / 6;
  if (height >= width) angle = pi / 2 - angle;
  if (x < 0) angle = pi - angle;
  return y < 0 ? -angle : angle;
}

}  // namespace macareu
