// Tuning constants of the cuda engine, each with its measurement. "Not measured apart": other values were not
// compared. What follows from the GPU, from a layout of data or from other constants stays with its kernel.
// So do sizes that a kernel's code depends on, and unrolled loops. Times are of an H200.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/neighbourhood.hpp"

namespace macareu::cuda::tuning {

// Pixels

/// Threads of a block of regular patterns, and groups of adjacent pixels of a thread, all loaded before the
/// first is used. Not measured apart.
inline constexpr int pixel_threads = 256, pixel_groups_of_a_thread = 4;

/// Blocks per multiprocessor of kernels that loop over pixels: enough to fill the GPU, few enough to be
/// cheap. Not measured apart.
inline constexpr int looping_blocks = 8;

// Waves: the choice of a strategy

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

// Waves: tiles

/// Warps of a block, each with a tile of an image. Not measured apart.
inline constexpr int image_tile_warps = 4;

/// Blocks per multiprocessor for which the kernel of images is compiled; more leave fewer registers to each.
/// 4096^2, in ms: 8-bit keys, 8 neighbours, before the pass limit: random 0.175 with two, 0.161 with three,
/// tissue 0.316 and 0.32 to 0.33; 32-bit keys, 4 neighbours: random 0.250 with three, 0.233 with four.
template <class Key, bool Diagonals>
inline constexpr int image_tile_blocks = sizeof(Key) == 8 || (sizeof(Key) == 2 && Diagonals) ? 2
                                         : sizeof(Key) == 4 && !Diagonals                    ? 4
                                                                                             : 3;

/// Fewer waiting warps end a small image sooner. Tissue, 4096^2: 0.246 ms if one block per multiprocessor
/// stays when workers begin to wait, 0.251 ms if two stay.
inline constexpr std::uint32_t few_image_tiles = 8192;
inline constexpr int blocks_of_few_tiles = 3, blocks_that_stay = 1, blocks_of_many_tiles = 4;

/// Whether first visits have a pass limit. With 32 bits and 8 neighbours it saves 2 to 3 % of the tiles'
/// time, with 16 bits nothing, and with 4 neighbours it costs 1 to 7 %, for there is less to save
/// (docs/decisions/0012).
template <class Key, bool Diagonals>
inline constexpr bool cuts_first_visits = sizeof(Key) == 1 && Diagonals;
/// Passes of a first visit, before and after those of neighbours. Neighbours undo much of what it settles, so
/// tiles that settle later need fewer passes in all. With 8 neighbours, 4096^2: a random pair 36,500 instead
/// of 51,300, tissue 50,700 instead of 60,400.
inline constexpr unsigned passes_before_neighbours = 2, passes_after_neighbours = 4;

/// Pixels of a row that a lane loads at once where vectors do not fit. With a few, `auto` took up to 3.2
/// times as long as contraction (u16, rows of 16383 pixels, 8 neighbours; docs/decisions/0008).
inline constexpr int unaligned_pixels_at_once = 8;

/// Copies of the notice that all tiles are finished, which share the polling, and how long a worker sleeps
/// between two looks at its mailbox, also in published strategies. Not measured apart.
inline constexpr std::uint32_t end_notices = 8;
inline constexpr unsigned sleep_nanoseconds = 20;

/// Voxels of states, and of capacities, that a thread loads at once. 512^3, 26 neighbours: 7.1 ms, one at a
/// time 9.8 (docs/decisions/0008).
inline constexpr int voxels_at_once = 8;

/// Blocks per multiprocessor for which the kernel of volumes is compiled, and of which it gets at most. Not
/// measured apart.
template <class Key>
inline constexpr int volume_tile_blocks = sizeof(Key) <= 2   ? 3
                                          : sizeof(Key) == 4 ? 2
                                                             : 1;
inline constexpr int most_volume_tile_blocks = 4;

/// Threads of a block that writes the start of a volume, and blocks at most. Not measured apart.
inline constexpr int volume_start_threads = 128, most_volume_start_blocks = 1 << 16;

// Waves: contraction

/// Tiles. Keys of 64 bits fill the shared memory of a smaller one. Not measured apart.
inline constexpr int contracted_image_columns = 64, contracted_volume_columns = 32,
                     contracted_volume_rows = 16;
template <class Key>
inline constexpr int contracted_image_rows = sizeof(Key) == 8 ? 32 : 64;
template <class Key>
inline constexpr int contracted_slices = sizeof(Key) == 8 ? 4 : 8;

/// Blocks of 512 threads that share a multiprocessor in images; the list of edges gets what they leave. With
/// three, each with more registers, tissue took 3 % longer.
inline constexpr int contracted_image_blocks = 4;
/// Blocks of volumes, which gain more from registers than from blocks. Not measured apart.
inline constexpr int contracted_volume_blocks = 2;

/// Half of the threads of a block of at least so many work where each has at most so many basins, and edges.
/// One of the changes that took tissue, 4096^2, from 341 to 312 us (docs/decisions/0012); not measured apart.
inline constexpr int threads_worth_halving = 512, basins_of_a_thread = 2;

/// Places of the table in which a tile joins its edges. Not measured apart.
inline constexpr int image_edge_places = 1024, volume_edge_places = 2048;

/// Nodes of a tile of a volume, pixels of a tile for each edge, and edges of an image at least, for which
/// memory is taken first. An image with more is contracted again. Not measured apart.
inline constexpr int likely_volume_nodes = 768, image_pixels_of_an_edge = 8, volume_pixels_of_an_edge = 2;
inline constexpr unsigned long long least_likely_edges = 65536;

/// Threads that join a tile to its neighbours, except in images with 4 neighbours, where each has one edge,
/// and edges that wait in shared memory. Not measured apart.
inline constexpr int joining_threads = 256, waiting_edges = 1024;

/// Threads of a block of the graph, and tiles for each block. Few blocks make the grid barrier cheap; large
/// ones hide memory latency. Noise with one seed took 3 % longer with 512 threads.
inline constexpr int graph_threads = 1024;
inline constexpr std::uint32_t tiles_of_a_graph_block = 8;

/// Threads of a block that writes values back. Not measured apart.
inline constexpr int write_back_threads = 256;

// Waves: published strategies

/// Tiles that a warp looks at for the first queue of a published strategy. Not measured apart.
inline constexpr unsigned first_tiles_of_a_warp = 4;

/// Pixels that a lane of a tile loads at once, and those of a line that it reads before it writes any, in a
/// tile and in a sweep of the image. Not measured apart.
inline constexpr int tile_pixels_at_once = 10, line_pixels_at_once = 8;

/// Threads of a block that sweeps lines: lines are few, and spread over the multiprocessors. Not measured
/// apart.
inline constexpr int sweep_threads = 32;

/// Tiles of `megapixel` in volumes: as many pixels as in images, in a box that keeps the rim small. Not
/// measured apart.
inline constexpr int megapixel_slices = 8, megapixel_rows = 8, megapixel_columns = 16;

/// Threads of a block of `queue`; blocks per multiprocessor, as with more barriers cost more than rounds
/// gain; blocks that find the first front, for each of those; and rounds of a launch. Not measured apart.
inline constexpr int queue_threads = 512, queue_blocks = 2;
inline constexpr unsigned first_front_blocks = 4, rounds_of_a_launch = 1024;

/// Threads of a block that writes states, and blocks per multiprocessor. Not measured apart.
inline constexpr int state_threads = 256, state_blocks = 16;

// Basins

/// Fronts of at most so many pixels are computed by one block, one after another. Not measured apart.
inline constexpr std::uint32_t narrow_front = 2048;

/// Threads of a block, and blocks per multiprocessor, of wide fronts; threads of the block of narrow ones;
/// and threads of the kernels that follow paths. Not measured apart.
inline constexpr int front_threads = 256, front_blocks = 32, narrow_front_threads = 1024, path_threads = 256;
/// Steps of a path that a thread follows in one launch. Not measured apart.
inline constexpr int steps_of_a_launch = 4;

/// Warps of a block, each with a tile; blocks per multiprocessor; and those that stay when workers begin to
/// wait. Not measured apart.
inline constexpr int basin_tile_warps = 4, basin_tile_blocks = 4, basin_blocks_that_stay = 1;

/// Warps of a block that settles d, each with a tile. Bit planes of d below the first number are in
/// registers, those below the second in shared memory. Not measured apart.
inline constexpr int settle_warps = 4, step_bits_in_registers = 2, step_bits_in_shared_memory = 12;

/// Threads of a block that makes minima seeds, and blocks per multiprocessor. Not measured apart.
inline constexpr int seed_threads = 512, seed_blocks = 3;

/// Threads of a block that finds parents: those of -distance, u16, 4096^2, take 151 us, with 512 threads 166
/// (docs/decisions/0027). Blocks per multiprocessor, and steps of a path between two barriers: not measured
/// apart.
inline constexpr int parent_threads = 256, parent_blocks = 4, path_steps_at_once = 4;

/// Threads of a block that writes labels of paths that leave their tile. Not measured apart.
inline constexpr int leaving_threads = 256;

/// Up to so many tiles may be mostly outside the image, as those of a narrow one. Not measured apart.
inline constexpr std::int64_t few_basin_tiles = 4096;

// Lines

/// Line patterns process volumes in slabs of so many pixels: 128 MiB of f64, enough work for the GPU. Not
/// measured apart.
inline constexpr std::int64_t slab_pixels = 1 << 24;

/// Threads of a block that packs sites, rows of pixels wider than a byte that it loads at once, and threads
/// that write steps. Not measured apart.
inline constexpr int pack_threads = 128, packed_rows_at_once = 8, step_threads = 128;
/// Columns of a block that finds carries beside words, and threads that share each. Not measured apart.
inline constexpr int carry_columns = 32, carry_parts = 16;

/// Rows of squares. Up to so many columns, rows are searched as a whole at once, by blocks of so many
/// threads. Not measured apart.
inline constexpr int narrow_row = 2048, narrow_row_threads = 128;
/// Wider ones are searched in windows, with a halo on either side. Threads of a block: 8192^2 takes 0.126 ms,
/// with 512 threads 0.134 (docs/decisions/0009). Blocks per multiprocessor, and the columns: not measured
/// apart.
inline constexpr int row_window = 2048, row_window_halo = 128, row_window_threads = 256,
                     row_window_blocks = 5;
/// Rows that windows leave open. Threads of a block: 256 or 384 gain nothing (docs/decisions/0009). Threads
/// per multiprocessor for which kernels of rows are compiled: not measured apart.
inline constexpr int whole_row_threads = 512, row_threads_held = 1536;
/// Four rows per block are fastest, unless their shared memory exceeds this: three blocks then fit a
/// multiprocessor. Not measured apart.
inline constexpr std::size_t most_row_bytes = 76500;

/// Columns of squares: up to so many pixels, short ones have blocks of fewer threads. Not measured apart.
inline constexpr std::int64_t short_column = 1024;
inline constexpr int short_column_threads = 128, long_column_threads = 512;

/// Steps of four columns outwards, if some group beside has a value below `near_square`; from a square of
/// `far_square` on, groups are cheaper. Not measured apart.
inline constexpr int near_steps = 6;
inline constexpr std::uint32_t near_square = 100, far_square = 784;

/// The search by groups of columns ends after so many groups, or rounds of 128 columns either way, and if so
/// much distance remains after the first groups. In ms, 4096^2 (docs/decisions/0009):
///   never giving up early: diagonal 0.27 instead of 0.245, circle 0.27 instead of 0.25
///   no groups in whole rows: sites with p = 1e-4 0.115 instead of 0.085
///   whole rows: 230 pixels instead of 300: sites with p = 1e-4 0.090 to 0.094 instead of 0.084
///   at most eight groups in windows: tissue 0.074 instead of 0.065
///   windows that give up where 32, 48, 64, 96 pixels remain: circle 0.247, 0.248, 0.250, 0.251, tissue
///   0.074, 0.070, 0.064, 0.063
inline constexpr int whole_row_groups = 12, whole_row_rounds = 6, whole_row_first_groups = 1,
                     whole_row_hopeless = 300;
inline constexpr int row_window_groups = 16, row_window_rounds = 6, row_window_first_groups = 8,
                     row_window_hopeless = 60;

/// Lines of any rule in shared memory: threads of a block; lines of it, side by side, if they do not lie
/// along rows; and steps outwards before the search by groups. Not measured apart.
inline constexpr int block_line_threads = 256, lines_of_a_block = 8, steps_before_groups = 12;

/// Blocks per multiprocessor that halve general lines, and the spacing of the places that halving finds. Not
/// measured apart.
inline constexpr int halving_blocks = 8, halving_spacing = 16;

/// Beyond so many steps to the nearest place, general lines of integers use halving. Not measured apart.
inline constexpr std::int64_t far_steps = 48;

/// Groups of columns between two ends of halving: up to `few_groups` are read without a test, and a warp
/// tests at most `most_groups`. 4096^2 on an H200: 3 and 8 few groups, and 20 to 120 at most, gain nothing.
inline constexpr int few_groups = 5, most_groups = 48;
/// Where an end has so many columns left, halving narrows them by the least values of groups. Not measured
/// apart.
inline constexpr int many_columns = 640;

// Labels

/// Rows of a tile of an image. Thick rows have two pixel rows, in volumes two in two slices, and `thin` ones
/// one pixel row. Not measured apart.
inline constexpr int thick_image_rows = 32, thin_image_rows = 64;
/// Rows and slices of a tile of a volume, likewise. Not measured apart.
inline constexpr int label_volume_rows = 8, thick_volume_slices = 4, thin_volume_slices = 8;

/// Threads of a block that turns pixels to bits, and pieces of bytes that each loads at once, to keep enough
/// bytes in flight; fewer of wider pixels. Not measured apart.
inline constexpr int plane_threads = 256, byte_pieces_at_once = 4;

/// Threads per multiprocessor for which bytes to parts, and first pixels, are compiled: full occupancy gains
/// more than the registers that it costs. Bytes to parts, random 0.41, 4096^2: 75 us, with 40 registers
/// instead of 32 85 us; tissue 35 us with either (docs/decisions/0010).
inline constexpr int label_threads_held = 2048;

/// Words whose first pixels are counted together, by as many threads, and such sections that a thread adds up
/// at once. Not measured apart.
inline constexpr int section_words = 256, sections_added_at_once = 16;
/// From this many sections of an image on, a block numbers several. With fewer there would be too few blocks.
/// Not measured apart.
inline constexpr std::uint32_t many_sections = 8192;
/// Sections that it then numbers with one scan and one ticket. 16384^2: 0.775 ms, with one section 0.79
/// (docs/decisions/0010).
inline constexpr int sections_of_a_block = 4;
/// First pixels that a block lists, for each of its words, to share them among its threads; each thread takes
/// the rest of its own word. Not measured apart.
inline constexpr int listed_firsts_of_a_word = 8;

/// Thick rows of a thread that writes labels, and parts that its block lists for each thread. Not measured
/// apart.
inline constexpr int written_rows_at_once = 4, listed_parts_of_a_thread = 4;

/// Threads of a block that selects objects with a start. Not measured apart.
inline constexpr int linked_threads = 256;

// Rows of objects

/// Warps of a block, one above another, that share the height of a tile. Not measured apart.
inline constexpr int tally_warps_down = 2;
/// Blocks per multiprocessor, few enough to keep rows in registers: of rules with rows of at most
/// `small_tally_row` bytes, and of others. Not measured apart.
inline constexpr std::size_t small_tally_row = 128;
inline constexpr int small_tally_blocks = 5, large_tally_blocks = 3;

/// Places for objects of a tile, a power of two, and places that are tried for an object. Not measured apart.
inline constexpr unsigned tally_places = 64, tally_looks = 8;

/// Lanes of a warp that leave one object are joined if there are so many; fewer are faster one by one. Not
/// measured apart.
inline constexpr int lanes_worth_joining = 3;

/// Threads of a block that clears rows, and blocks per multiprocessor. Not measured apart.
inline constexpr int clearing_threads = 256, clearing_blocks = 32;

// Windows

/// Largest radius of the fused separable kernel; larger ones need too many registers. Not measured apart.
inline constexpr int largest_fused_radius = 8;

/// Gaussian of 16384^2, u8 to f32, in ms (docs/decisions/0011): 0.50. Threads of a block: 256 0.71. Rows of a
/// block: 128 0.58 instead of 0.54, 256 0.72. Rows of a step: 2 0.60, 8 0.49, for which radius 8 has no
/// registers. Blocks per multiprocessor: five, which leave too few registers, 0.52. Columns of a thread: not
/// measured apart.
inline constexpr int fused_threads = 128, fused_rows = 64, fused_rows_at_once = 4, fused_blocks = 4,
                     fused_columns_at_once = 4;

/// Windows of at most so many pixels stay in registers. Not measured apart.
inline constexpr int most_register_places = 49;
/// Rows of a thread, and warps of a block, one below another. Not measured apart.
inline constexpr int window_rows = 32, window_warps = 4;
/// A thread takes several columns and rows of windows of at most so many pixels at once; larger ones need the
/// registers for themselves. Rows, and blocks per multiprocessor, depend on its columns: few or more. Not
/// measured apart.
inline constexpr int small_window_places = 9, small_window_columns = 8, few_window_columns = 4,
                     rows_of_few_columns = 4, rows_of_more_columns = 2, blocks_of_few_columns = 6,
                     blocks_of_more_columns = 4;

/// Extremes: columns of a tile, and rows of a thread. Not measured apart.
inline constexpr int extreme_columns = 64, extreme_rows_of_a_thread = 8;
/// Threads of a block, and words from line to line of its tile, for small and large footprints. Around high
/// ones, of more than `low_footprint` lines, higher strips read fewer rows more than once. Small blocks fit
/// the shared memory of every GPU, and two large ones fit a multiprocessor. Not measured apart.
inline constexpr int small_extreme_threads = 256, small_extreme_pitch = 96, large_extreme_threads = 512,
                     large_extreme_pitch = 172, low_footprint = 24;
/// Chords of one launch, which are parameters of the kernel. Not measured apart.
inline constexpr int chords_of_a_launch = 240;

// Edges

/// Columns of a tile, and threads of its block. Not measured apart.
inline constexpr int edge_columns = 128, edge_threads = 288;
/// Pixels of a thread in sums along y and x and in derived values, in registers. Not measured apart; 4096^2
/// took 0.44 ms when sums read shared memory, and 0.17 with these sums and drafts (docs/decisions/0014).
inline constexpr int edge_walk_down = 16, edge_walk_along = 15, edge_walk_derived = 15;
/// Blocks per multiprocessor, limited by shared memory. Not measured apart.
template <class Value>
inline constexpr int edge_blocks = sizeof(Value) == sizeof(float) ? 4 : 3;

/// Gaussian reaches with specialised edge kernels: those of usual sigmas. Others are slower. Not measured
/// apart.
inline constexpr int walked_reaches[] = {3, 4, 5, 6, 8};

// Histograms and summaries

/// Shared memory for the bins of a block: the limit without opt-in on every GPU. Not measured apart.
inline constexpr std::int64_t shared_bin_bytes = 48 * 1024;

/// Blocks per multiprocessor that count bytes, limited by the shared memory of their counters. Not measured
/// apart.
inline constexpr int byte_histogram_blocks = 6;

/// Blocks per multiprocessor of summaries, for 48 KiB of loads in flight, and groups of bytes that a thread
/// takes at once. 4096^2 bytes, the kernel alone: 0.072 ms, also with two blocks and eight groups; six and
/// four 0.096, eight and two 0.081 (docs/decisions/0011).
inline constexpr int summary_blocks = 3, byte_groups_at_once = 4;

// Messages

/// The host spins for `spinning_us`, as long as the shortest kernels run. It then yields its core
/// between looks at a message, and waits for the stream after `polling_us`. Not measured apart.
inline constexpr int spinning_us = 200, polling_us = 2000;
/// Looks at a message between two looks at the clock. Not measured apart.
inline constexpr int looks_at_once = 32;

// Memory

/// The pool keeps 1 / kept_share of the GPU's memory between calls: some images of 16384 x 16384 bytes. Not
/// measured apart.
inline constexpr std::uint64_t kept_share = 16;
/// Bytes of zeroed memory kept for later calls: enough for two images of 16384 x 16384 bytes. Not measured
/// apart.
inline constexpr std::int64_t most_zeroed_kept = std::int64_t{80} << 20;
/// A block of it serves a call that needs at least about 1 / zeroed_excess of its bytes. Not measured apart.
inline constexpr std::int64_t zeroed_excess = 4;

/// Transfer chunks: small enough to overlap packing and copying of a few megapixels, large enough for the
/// bus. Not measured apart.
inline constexpr std::int64_t chunk_bytes = 512 << 10;
inline constexpr std::size_t chunk_count = 64;

/// Pinned memory is scarce on the whole machine: results above `most_pinned` go through the transfer ring.
/// Not measured apart.
inline constexpr std::int64_t least_pinned = std::int64_t{64} << 10, most_pinned = std::int64_t{16} << 20;
inline constexpr std::size_t most_pinned_kept = 4;

}  // namespace macareu::cuda::tuning
