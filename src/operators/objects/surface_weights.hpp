// Crofton's formula for the surface of voxel objects: the number of times that lines in 13 directions cross
// it.
#pragma once

#include <array>

namespace macareu {

/// By how much one crossing along each direction of object_sums counts, for voxels of this size (z, y, x). A
/// direction has the share of the sphere that is nearer to it than to the others; lines along it are as far
/// apart as voxels are.
std::array<double, 13> surface_weights(const std::array<double, 3>& spacing);

}  // namespace macareu
