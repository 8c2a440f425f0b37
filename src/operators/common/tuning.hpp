// Tuning constants of host work that is the same on every engine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace macareu::tuning {

/// Describing an object takes as long as processing so many pixels. An estimate, not measured apart:
/// 13,752 objects take 5.9 ms of one Neoverse-N1 core.
inline constexpr std::int64_t pixels_worth_an_object = 64;

/// Labels that a thread describes at a time. Not measured apart.
inline constexpr std::size_t labels_claimed = 128;

/// Rows of a table that is given in parts: some MiB.
inline constexpr std::size_t labels_described = 16384;

/// Bands whose outlines threads follow: with fewer rows they would repeat more of them than they save time.
/// Not measured apart.
inline constexpr std::uint32_t least_contour_rows = 64, contour_bands_a_thread = 8;

}  // namespace macareu::tuning
