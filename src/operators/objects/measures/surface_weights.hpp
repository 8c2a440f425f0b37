// Crofton's formula for the surface of voxel objects: counts crossings with lines in 13 directions.
#pragma once

#include <array>

namespace macareu {

/// The weight of one crossing along each direction of object_sums, for voxels of this size (z, y, x). The
/// share of a direction is the part of the sphere nearest to it. The spacing of voxels sets the distance of
/// its lines.
std::array<double, 13> surface_weights(const std::array<double, 3>& spacing);

}  // namespace macareu
