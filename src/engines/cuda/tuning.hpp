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

/// What tiles may take, in cycles a pixel of an H200: about what contraction takes, less where it costs to
/// write tiles without a visit and to begin a volume. Measured at 16384^2 and 512^3 (bench/auto_bound.py).
struct patience {
  double flat;             // of flat masks, where contraction has the least to do
  double more_rugged = 0;  // where all tiles are as rugged as can be: what tissue needs, or less
};

/// By keys of 8, 16, 32 and 64 bits.
template <class Key>
patience patience_with(const neighbourhood& near) {
  constexpr int width = std::bit_width(sizeof(Key)) - 1;
  constexpr patience images[][4]{{{0.015, 0.006}, {0.0166, 0.0149}, {0.0225, 0.034}, {0.04, 0.0327}},
                                 {{0.0174, 0.008}, {0.0212, 0.0218}, {0.022, 0.0188}, {0.0275, 0.0248}}};
  constexpr patience volumes[][4]{{{0.031}, {0.033}, {0.043}, {0.095}},
                                  {{0.074}, {0.078}, {0.083}, {0.17}},
                                  {{0.125}, {0.131}, {0.136}, {0.265}}};
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
