// Numbers of the cpu engine that were chosen by measuring, each with the measurement. Those that are part of
// a kernel's shape (lanes, blocks of registers, layouts) stay with the kernel. "Not measured apart" says that
// other values were not compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace macareu::cpu::tuning {

// Threads

/// Pixels below which a call stays on one thread. An estimate, not measured apart.
inline constexpr std::int64_t pixels_worth_a_thread = 64 * 1024;

/// Pixels that a thread claims at a time in maps and reductions. Not measured apart.
inline constexpr std::int64_t pixels_claimed = 16 * 1024;

/// Of tally, where rows of pixels that lie together meet the same objects. Not measured apart.
inline constexpr std::int64_t tallied_pixels_claimed = 64 * 1024;

// Waves

struct tile_shape {
  int width, height, depth;
};

/// States and capacities of a tile fit the second-level cache, a row is at most 64 vectors, and the columns
/// kept beside the image take 4 / width keys per pixel. Tissue 4096^2, u8, one thread of a Neoverse-N1: 64 x
/// 64 123 ms, 128 x 128 88, 256 x 128 71, 256 x 256 68, 512 x 64 80.
template <class Key>
inline constexpr tile_shape image_tile{std::min(256, 512 / static_cast<int>(sizeof(Key))), 128, 1};
/// Noise 256^3, u8, 26 neighbours, the same machine: 64 x 16 x 16 169 ms, 128 x 32 x 16 133, 128 x 32 x 32
/// 122.
template <class Key>
inline constexpr tile_shape volume_tile{std::min(128, 512 / static_cast<int>(sizeof(Key))), 32, 16};

/// How often the tiles' rows are swept on average before contraction takes over. It pays late: contraction
/// takes 75 ns a pixel and core in images, 400 in volumes with 26 neighbours; all tile visits of a tissue
/// image take 4.
inline constexpr std::int64_t image_patience = 32, volume_patience = 256;

/// What `auto` may take beyond half a byte a pixel for contraction: the rest of 64 MiB is left to the
/// threads. Not measured apart.
inline constexpr std::int64_t graph_allowance = 48 << 20;

/// A later visit of a tile sweeps `later_rows` rows, a first one all rows `first_sweeps` times, before it is
/// seen whether at most `most_seeds` pixels can still rise, from which the wave goes on one by one, for
/// `most_steps`. Not measured apart.
inline constexpr int later_rows = 16, first_sweeps = 8, most_seeds = 16;
inline constexpr std::int64_t most_steps = 1 << 15;

// Windows and edges

/// Rows that a thread takes at a time, and the columns whose rows around stay in its cache. Not measured
/// apart.
inline constexpr std::int64_t band_rows = 64, strip_columns = 1024;

/// Columns of sums along y and x: the nearest cache shall hold the rows that a sum along y reads. Gaussian of
/// noise 4096^2, u8, one thread of a Xeon, AVX-512, busy machine: 1024 27 ms, 512 26, 256 38.
template <class F>
inline constexpr std::int64_t sum_columns = 2048 / static_cast<std::int64_t>(sizeof(F));

/// Columns of summits: many rows are around, which the nearest cache shall hold. Not measured apart.
template <class T>
inline constexpr std::int64_t summit_columns = 2048 / static_cast<std::int64_t>(sizeof(T));

/// Of edges: a multiple of 64, so that no two threads share a word of bits. In small images bands have fewer
/// rows, so that every thread has `edge_units_a_thread`, but not fewer than `least_edge_rows`: rows beside a
/// band are smoothed for it once more. Not measured apart.
inline constexpr std::int64_t edge_rows = 128, edge_columns = 512, least_edge_rows = 32,
                              edge_units_a_thread = 3;

// Lines

/// Values whose nearest place is further away than this are found by divide and conquer. Not measured apart.
inline constexpr std::int64_t far_steps = 48;

// Histograms

/// Pixels side by side add to bins of their own; bins beyond `replicated_bins` are kept once for a thread,
/// because they would not fit its cache. Not measured apart.
inline constexpr std::size_t replicated_bins = 1024;
inline constexpr std::int64_t bin_replicas = 4;

}  // namespace macareu::cpu::tuning
