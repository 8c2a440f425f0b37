// What scipy.ndimage.distance_transform_edt tells of nearest sites.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

namespace macareu::python {

/// nearest[p]: the index of a pixel, as many as sizes multiply to, for each of them. Its coordinates go to
/// `places`, one image of them after the other for all axes; and how far it is, in the arithmetic of SciPy,
/// to `distances`, unless that is null. Throws `interrupted` when stop is set.
void split_sites(const std::int64_t* nearest, std::span<const std::int64_t> sizes,
                 std::span<const double> spacing, std::int32_t* places, double* distances,
                 std::stop_token stop = {});

}  // namespace macareu::python
