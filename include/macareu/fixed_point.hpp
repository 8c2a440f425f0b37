// The units of integer images between the steps of nuclei.
#pragma once

#include <cstdint>

namespace macareu {

/// Of densities and thresholds: optical densities up to 4.
inline constexpr double steps_per_density = 1 << 14;
/// Of shares of pixels.
inline constexpr double steps_per_share = 1 << 14;
/// Of landscapes, in micrometres: from -4 to 12.
inline constexpr float steps_per_height = 1 << 12, lowest_height = -4;

}  // namespace macareu
