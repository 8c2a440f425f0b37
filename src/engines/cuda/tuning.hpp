// Numbers of the cuda engine that were chosen by measuring, each with the measurement. Those that are part of
// a kernel's shape (threads, rows of a tile, registers) stay with the kernel. "Not measured apart" says that
// other values were not compared.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/neighbourhood.hpp"

namespace macareu::cuda::tuning {

// Waves

/// What contraction takes on an H200, in cycles: to begin, and for a pixel by keys of 8, 16, 32 and 64 bits.
/// Medians of 722 random pairs (docs/decisions/0012); those of 64 bits are guessed from those of 32.
inline constexpr double contraction_cycles = 9e4;
template <class Key>
double contraction_cycles_of(const neighbourhood& near) {
  constexpr int width = std::bit_width(sizeof(Key)) - 1;
  constexpr double images[][4]{{0.038, 0.036, 0.048, 0.085}, {0.046, 0.045, 0.051, 0.09}};
  constexpr double volumes[][4]{{0.075, 0.07, 0.08, 0.17}, {0.15, 0.16, 0.2, 0.34}, {0.23, 0.2, 0.24, 0.5}};
  return near.rank == 2 ? images[near.reach - 1][width] : volumes[near.reach - 1][width];
}

// Lines

/// Pixels of a slab of slices that lines of volumes are done in: of f64 128 MiB, and work enough. Not
/// measured apart.
inline constexpr std::int64_t slab_pixels = 1 << 24;

// Windows

/// Sums along both axes are one kernel up to this radius; beyond it they need too many registers. Not
/// measured apart.
inline constexpr int largest_fused_radius = 8;

/// The reaches of Gaussians for which edges have code of their own: those of usual sigmas. Others are slower.
/// Not measured apart.
inline constexpr int walked_reaches[] = {3, 4, 5, 6, 8};

// Histograms

/// Shared memory for the bins of a block: what a kernel may use on every GPU without opting in. Not measured
/// apart.
inline constexpr std::int64_t shared_bin_bytes = 48 * 1024;

// Memory

/// Of a GPU's memory, what the pool keeps between calls, as one part of so many: images of some 16384 x 16384
/// bytes. Not measured apart.
inline constexpr std::uint64_t kept_share = 16;
/// Zeroed memory that is kept for later calls: two images of 16384 x 16384 bytes. Not measured apart.
inline constexpr std::int64_t most_zeroed_kept = std::int64_t{80} << 20;

/// Chunks small enough for packing and copying to overlap in an image of a few megapixels, and large enough
/// for the bus. Not measured apart.
inline constexpr std::int64_t chunk_bytes = 512 << 10;
inline constexpr std::size_t chunk_count = 64;

/// Pinned memory is a resource of the whole machine: what is larger comes through the transfers' own. Not
/// measured apart.
inline constexpr std::int64_t least_pinned = std::int64_t{64} << 10, most_pinned = std::int64_t{16} << 20;
inline constexpr std::size_t most_pinned_kept = 4;

}  // namespace macareu::cuda::tuning
