// Tuning constants of patterns that the host computes for every engine.
#pragma once

#include <cstdint>

namespace macareu::tuning {

/// Pixels of a band of rows on the host, and the bands of a small image: large enough to be shared by
/// threads, small enough to stop soon. Not measured apart.
inline constexpr std::int64_t pixels_a_host_band = std::int64_t{1} << 22, least_host_bands = 16;

}  // namespace macareu::tuning
