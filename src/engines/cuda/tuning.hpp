// Tuning constants of the cuda engine, each with its measurement. Constants of a kernel's shape (threads,
// rows of a tile, registers) stay with the kernel. "Not measured apart": other values were not compared.
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
inline constexpr double contraction_multiprocessors = 132;
template <class Key>
double contraction_cycles_of(const neighbourhood& near) {
  constexpr int width = std::bit_width(sizeof(Key)) - 1;
  constexpr double images[][4]{{0.038, 0.036, 0.048, 0.085}, {0.046, 0.045, 0.051, 0.09}};
  constexpr double volumes[][4]{{0.075, 0.07, 0.08, 0.17}, {0.15, 0.16, 0.2, 0.34}, {0.23, 0.2, 0.24, 0.5}};
  return near.rank == 2 ? images[near.reach - 1][width] : volumes[near.reach - 1][width];
}

/// When tiles take longer than first visits and contraction, in shares of their times (docs/decisions/0012).
/// A front travels if fewer tiles are open than this share of the workers.
inline constexpr float of_first_visits = 1.18f, of_contraction = 0.237f, while_it_travels = 0.25f,
                       of_even_tiles = 0.4f;
inline constexpr std::uint32_t travelling_share = 5;
/// Wake-ups of a volume with face neighbours before tiles end: at least so many, or half of the tiles. Noise
/// of 512^3: 5.9 ms with this, 9.5 with four times as many, where contraction alone takes 5.2.
inline constexpr std::uint32_t least_wake_ups = 4096;

/// Fewer waiting warps end a small image sooner. Tissue, 4096^2: 0.246 ms if one block per multiprocessor
/// stays when workers begin to wait, 0.251 ms if two stay.
inline constexpr std::uint32_t few_image_tiles = 8192;
inline constexpr int blocks_of_few_tiles = 3, blocks_that_stay = 1, blocks_of_many_tiles = 4;

/// Passes of a first visit, before and after those of neighbours. Neighbours undo much of what it settles, so
/// tiles that settle later need fewer passes in all. With 8 neighbours, 4096^2: a random pair 36,500 instead
/// of 51,300, tissue 50,700 instead of 60,400.
inline constexpr unsigned passes_before_neighbours = 2, passes_after_neighbours = 4;

/// Tiles that a warp looks at for the first queue of a published strategy. Not measured apart.
inline constexpr unsigned first_tiles_of_a_warp = 4;

// Basins

/// Fronts of at most so many pixels are computed by one block, one after another. Not measured apart.
inline constexpr std::uint32_t narrow_front = 2048;

/// Up to so many tiles may be mostly outside the image, as those of a narrow one. Not measured apart.
inline constexpr std::int64_t few_basin_tiles = 4096;

// Lines

/// Line patterns process volumes in slabs of so many pixels: 128 MiB of f64, enough work for the GPU. Not
/// measured apart.
inline constexpr std::int64_t slab_pixels = 1 << 24;

/// Beyond so many steps to the nearest place, general lines of integers use halving. Not measured apart.
inline constexpr std::int64_t far_steps = 48;

/// Groups of columns between two ends of halving: up to `few_groups` are read without a test, and a warp
/// tests at most `most_groups`. 4096^2 on an H200: 3 and 8 few groups, and 20 to 120 at most, gain nothing.
inline constexpr int few_groups = 5, most_groups = 48;
/// Where an end has so many columns left, halving narrows them by the least values of groups. Not measured
/// apart.
inline constexpr int many_columns = 640;

// Labels

/// From this many sections of an image on, a block numbers several. With fewer there would be too few blocks.
/// Not measured apart.
inline constexpr std::uint32_t many_sections = 8192;

// Windows

/// Largest radius of the fused separable kernel; larger ones need too many registers. Not measured apart.
inline constexpr int largest_fused_radius = 8;

/// Gaussian reaches with specialised edge kernels: those of usual sigmas. Others are slower. Not measured
/// apart.
inline constexpr int walked_reaches[] = {3, 4, 5, 6, 8};

// Histograms

/// Shared memory for the bins of a block: the limit without opt-in on every GPU. Not measured apart.
inline constexpr std::int64_t shared_bin_bytes = 48 * 1024;

// Messages

/// The host spins for `spinning_us`, as long as the shortest kernels run. It then yields its core
/// between looks at a message, and waits for the stream after `polling_us`. Not measured apart.
inline constexpr int spinning_us = 200, polling_us = 2000;

// Memory

/// The pool keeps 1 / kept_share of the GPU's memory between calls: some images of 16384 x 16384 bytes. Not
/// measured apart.
inline constexpr std::uint64_t kept_share = 16;
/// Bytes of zeroed memory kept for later calls: enough for two images of 16384 x 16384 bytes. Not measured
/// apart.
inline constexpr std::int64_t most_zeroed_kept = std::int64_t{80} << 20;

/// Transfer chunks: small enough to overlap packing and copying of a few megapixels, large enough for the
/// bus. Not measured apart.
inline constexpr std::int64_t chunk_bytes = 512 << 10;
inline constexpr std::size_t chunk_count = 64;

/// Pinned memory is scarce on the whole machine: results above `most_pinned` go through the transfer ring.
/// Not measured apart.
inline constexpr std::int64_t least_pinned = std::int64_t{64} << 10, most_pinned = std::int64_t{16} << 20;
inline constexpr std::size_t most_pinned_kept = 4;

}  // namespace macareu::cuda::tuning
