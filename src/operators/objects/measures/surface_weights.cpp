#include "operators/objects/measures/surface_weights.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "operators/common/angle.hpp"
#include "operators/common/vectors.hpp"
#include "operators/objects/measures/object_outline.hpp"

namespace macareu {
namespace {

using vector = three_numbers;

vector combined(const vector& a, double by, const vector& b, double also) {
  return {a[0] * by + b[0] * also, a[1] * by + b[1] * also, a[2] * by + b[2] * also};
}
vector unit(const vector& a) { return combined(a, 1 / std::sqrt(dot(a, a)), a, 0); }

/// A square on the sphere around `middle` that contains its Voronoi cell. The axes are directions, and no
/// point of the sphere is further than 55 degrees from all axes.
std::vector<vector> square_around(const vector& middle) {
  const vector side = unit(cross(middle, std::abs(middle[0]) < 0.6 ? vector{1, 0, 0} : vector{0, 1, 0}));
  const vector up = cross(middle, side);
  constexpr double near = 0.17, far = 0.98;  // cosine and sine of 80 degrees
  std::vector<vector> corners;
  for (const auto& [a, b] : {std::array{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}})
    corners.push_back(unit(combined(middle, near, combined(side, a, up, b), far)));
  return corners;
}

/// The part of a polygon on the `normal` side of a plane through the centre of the sphere.
std::vector<vector> cut(const std::vector<vector>& polygon, const vector& normal) {
  std::vector<vector> kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const auto &here = polygon[i], &next = polygon[(i + 1) % polygon.size()];
    const double a = dot(here, normal), b = dot(next, normal);
    if (a >= 0) kept.push_back(here);
    if ((a < 0) != (b < 0)) kept.push_back(unit(combined(here, std::abs(b), next, std::abs(a))));
  }
  return kept;
}

/// Solid angle of a polygon around `middle`, triangle by triangle (Van Oosterom and Strackee).
double solid_angle(const vector& middle, const std::vector<vector>& polygon) {
  double sum = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const auto &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    sum += 2 * angle_of(std::abs(dot(middle, cross(a, b))), 1 + dot(middle, a) + dot(a, b) + dot(b, middle));
  }
  return sum;
}

}  // namespace

std::array<double, 13> surface_weights(const std::array<double, 3>& spacing) {
  std::array<vector, 13> steps, directions;
  for (int d = 0; d < 13; ++d) {
    const auto step = crossing_direction(d);
    for (std::size_t axis = 0; axis < 3; ++axis)
      steps[static_cast<std::size_t>(d)][axis] = step[axis] * spacing[axis];
    directions[static_cast<std::size_t>(d)] = unit(steps[static_cast<std::size_t>(d)]);
  }
  std::array<double, 13> weights;
  for (std::size_t d = 0; d < 13; ++d) {
    const auto& own = directions[d];
    auto cell = square_around(own);
    for (std::size_t other = 0; other < 13; ++other)
      for (const double sign : {1.0, -1.0})
        if (other != d || sign < 0) cell = cut(cell, combined(own, 1, directions[other], -sign));
    const double share = 2 * solid_angle(own, cell) / (4 * std::numbers::pi);
    const double area_per_line = spacing[0] * spacing[1] * spacing[2] / std::sqrt(dot(steps[d], steps[d]));
    weights[d] = 2 * share * area_per_line;
  }
  return weights;
}

}  // namespace macareu
