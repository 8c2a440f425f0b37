// Tuning parameters of the cpu engine, each with its measurement. Those that are part of a kernel's shape
// (lanes, register blocks, layouts) stay with the kernel. "Not measured apart": other values were not
// compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace macareu::cpu::tuning {

// Threads

/// Pixels below which a call stays on one thread. An estimate, not measured apart.
inline constexpr std::int64_t pixels_worth_a_thread = 64 * 1024;

/// Pixels that a thread claims at a time, in maps, reductions and lines. Not measured apart.
inline constexpr std::int64_t pixels_claimed = 16 * 1024;

/// The same for gather, where output rows share input rows; small images have so many bands, so that progress
/// shows. Not measured apart.
inline constexpr std::int64_t gathered_pixels_claimed = 256 * 1024, least_gathered_bands = 8;

/// The same for tally, where contiguous rows share objects. Not measured apart.
inline constexpr std::int64_t tallied_pixels_claimed = 64 * 1024;

/// The same for runs of labels, in words of 64 pixels; for edges of volumes; and for pixels of a front. Not
/// measured apart.
inline constexpr std::int64_t run_words_claimed = 1024, edge_pixels_claimed = 4096,
                              front_pixels_claimed = 1024;

/// How long a helper looks for the next pass, and a caller for the end of one, before it sleeps. In ms, for
/// 0, 20, 50 and 300 us: histogram 512^2 0.136, 0.132, 0.116, 0.111; threshold 1024^2 0.098, 0.080, 0.080,
/// 0.081; no difference above 1 ms. Processor time of threshold 512^2: 0.084, 0.079, 0.089, 0.127. u8, two
/// Xeon cores, real-time priority.
inline constexpr int look_microseconds = 20;

/// A thread without a tile sleeps so long after `look_microseconds`, again and again. Tissue 4096^2, u8,
/// least times and medians of 25 in ms: 30.7 and 35.0; 256 tries and 3840 yields before it sleeps: 30.8
/// and 32.9. Serpentine 1024^2, 16 runs: 5.11 and 5.30, before 5.09 and 5.23; processor time of 15 calls:
/// 0.135 s, before 0.169. Two threads on a busy Xeon, real-time priority; medians of tissue vary by 10 %
/// between sets of runs.
inline constexpr int sleep_microseconds = 50;

// Waves

struct tile_shape {
  int width, height, depth;
};

/// States and capacities of a tile fit the second-level cache. A row is at most 64 vectors. The columns kept
/// beside the image take 4 / width keys per pixel. Tissue 4096^2, u8, one thread of a Neoverse-N1, in ms:
/// 64 x 64: 123; 128 x 128: 88; 256 x 128: 71; 256 x 256: 68; 512 x 64: 80.
template <class Key>
inline constexpr tile_shape image_tile{std::min(256, 512 / static_cast<int>(sizeof(Key))), 128, 1};
/// Noise 256^3, u8, 26 neighbours, the same machine, in ms: 64 x 16 x 16: 169; 128 x 32 x 16: 133;
/// 128 x 32 x 32: 122.
template <class Key>
inline constexpr tile_shape volume_tile{std::min(128, 512 / static_cast<int>(sizeof(Key))), 32, 16};

/// Average sweeps of all rows before contraction takes over. The switch pays late. In ns per pixel and core:
/// contraction 75 in images, 400 in volumes with 26 neighbours; all tile visits of a tissue image 4.
inline constexpr std::int64_t image_patience = 32, volume_patience = 256;

/// Memory that `auto` may use for contraction beyond half a byte per pixel. The rest of 64 MiB is for the
/// threads. Not measured apart.
inline constexpr std::int64_t graph_allowance = 48 << 20;

/// A first visit sweeps all rows of a tile `first_sweeps` times, a later one `later_rows` rows. If at most
/// `most_seeds` pixels can still rise then, the wave continues pixel by pixel, for at most `most_steps`. Not
/// measured apart.
inline constexpr int later_rows = 16, first_sweeps = 8, most_seeds = 16;
inline constexpr std::int64_t most_steps = 1 << 15;
/// With more pixels in the queue the front is wide, and sweeps are cheaper. Not measured apart.
inline constexpr std::size_t most_waiting = 256;
/// Rows that such a wave prefetches. Serpentine of columns, 4096^2, u8, one thread, busy machine, in ms: none
/// 455; 16 rows 372; 6 rows 320.
inline constexpr int rows_prefetched = 6;
/// Bits of the hash by which crossings of a tile are known, so that few are listed twice. Not measured apart.
inline constexpr int crossing_table_bits = 12;
/// Rows of a tile that are prefetched: they lie too far apart for the processor to do it. Not measured apart.
inline constexpr int tile_rows_prefetched = 4;
/// Such steps take as long as sweeping a row: 50 ns each, mostly waiting for memory.
inline constexpr std::int64_t steps_per_row = 8;

/// Tiles of contraction. The graph grows with the rims, so tiles are as large as 16-bit pixel numbers allow,
/// halo included.
inline constexpr tile_shape contracted_image_tile{252, 252, 1}, contracted_volume_tile{60, 30, 30};

// Lines

/// Rows of a band in which near objects are searched. Not measured apart.
inline constexpr std::int64_t near_object_rows = 64;

// Basins

/// L, d, labels, directions and the queue of a tile fit the second-level cache. Not measured apart.
inline constexpr tile_shape basin_image_tile{256, 128, 1}, basin_volume_tile{64, 32, 16};

/// Pixels that are tested for the mask together: loops that stop at the first hit are not vectorised. Not
/// measured apart.
inline constexpr std::int64_t basin_pixels_tested = 32;

/// Steps that a round of corrections covers, and the tiles from which on threads share it. Not measured
/// apart.
inline constexpr std::uint32_t basin_window = 128;
inline constexpr std::int64_t basin_tiles_shared = 4;
/// With more than this share of corrected pixels, one in so many, all parents of a tile are found again. Not
/// measured apart.
inline constexpr int basin_share_again = 8;

// Windows and edges

/// Rows that a thread claims at a time, and columns per strip, whose rows stay in its cache. Not measured
/// apart.
inline constexpr std::int64_t band_rows = 64, strip_columns = 1024;

/// Rows ahead of a window that are prefetched. One of the changes that took a Gaussian of 4096^2, u8, from
/// 28.4 to 21.1 ms (docs/decisions/0023); not measured apart.
inline constexpr std::int64_t window_rows_ahead = 2;

/// Columns of sums along y and x: the nearest cache shall hold the rows that a sum along y reads. Gaussian of
/// noise 4096^2, u8, one thread of a Xeon, AVX-512, busy machine: 1024 27 ms, 512 26, 256 38.
template <class F>
inline constexpr std::int64_t sum_columns = 2048 / static_cast<std::int64_t>(sizeof(F));

/// Of the rows that wide sums along y read. Not measured apart.
inline constexpr std::int64_t summed_bytes = std::int64_t{512} << 10;

/// The radius up to which strips are summed along y and x at once; beyond it they would overlap too much.
inline constexpr std::int64_t widest_sum_together = 128;

/// Columns of summits: many rows are around, which the nearest cache shall hold. Not measured apart.
template <class T>
inline constexpr std::int64_t summit_columns = 2048 / static_cast<std::int64_t>(sizeof(T));

/// Columns of extremes: the second-level cache shall hold the tables of all rows around, but rows get no
/// shorter than `least_extreme_bytes`. Disc of radius 10, 4096^2, u8, one core of a Xeon, AVX-512, in ms:
/// 16 KiB 33, 32 KiB 22, 64 KiB 18, 128 KiB 16. Multiples of 256 bytes: a kernel's blocks.
inline constexpr std::int64_t extreme_ring_bytes = 128 << 10, least_extreme_bytes = 256,
                              most_extreme_bytes = 2048;

/// The same for edges. `edge_columns` is a multiple of 64, so that no two threads share a word of bits. Small
/// images have thinner bands, so that every thread has `edge_units_a_thread` units. A band has at least
/// `least_edge_rows` rows, because the rows beside it are smoothed again for it. Not measured apart.
inline constexpr std::int64_t edge_rows = 128, edge_columns = 512, least_edge_rows = 32,
                              edge_units_a_thread = 3;

// Lines

/// Beyond this distance to the nearest place, lines use divide and conquer. Not measured apart.
inline constexpr std::int64_t far_steps = 48;
/// Steps between two tests for completion. Not measured apart.
inline constexpr std::int64_t steps_between_tests = 4;
/// Steps before the first test for such a distance. Not measured apart.
inline constexpr std::int64_t steps_before_far_test = 4;

/// Reaches of long searches are bounded first if more than this share of blocks, one in so many, needs one:
/// computing the bounds costs as much as a few short runs. Not measured apart.
inline constexpr int share_of_long_blocks = 4;

/// Squares whose kind of root is chosen together. Not measured apart.
inline constexpr std::int64_t roots_tested_together = 64;

/// Columns of a strip at most whose nearest sites are carried. Strips are wide because each row lies on
/// another page. Not measured apart.
inline constexpr int carried_columns = 1024;

/// Lines across rows that are read together: a cache line of 32-bit values. Not measured apart.
inline constexpr std::int64_t lines_side_by_side = 16;

/// Steps of a band of square distances, which the second-level cache shall hold. Not measured apart.
inline constexpr std::int64_t steps_in_cache = 128 * 1024;

// Labels

/// Runs that begin in a word: with more of them, going through the pixels is faster. Not measured apart.
inline constexpr int few_runs = 2;

// Rows of objects

/// Rows that a thread caches, and locks of the shared ones. Not measured apart.
inline constexpr int tally_rows_cached = 256, tally_locks = 64;

// Histograms

/// Adjacent pixels add to `bin_replicas` copies of the bins. More than `replicated_bins` bins are kept once
/// per thread: copies would not fit its cache. Not measured apart.
inline constexpr std::size_t replicated_bins = 1024;
inline constexpr std::int64_t bin_replicas = 4;
/// With fewer pixels a bin, one thread counts: others would clear and add up more bins than they count
/// pixels, and each needs memory for all. Not measured apart.
inline constexpr std::int64_t least_pixels_a_bin = 8;

/// Bytes are counted in pieces. Those of pairs are larger: adding up and clearing the table of pairs takes
/// 6 us. Images with fewer than `least_pairs_a_thread` pixels a thread are counted by bytes. Not measured
/// apart.
inline constexpr std::int64_t piece_of_bytes = 1 << 16, piece_of_pairs = 1 << 19,
                              least_pairs_a_thread = 4 * piece_of_pairs;
/// After a count of pairs has overflowed, so many pieces are counted by bytes: they would most likely
/// overflow too. Not measured apart.
inline constexpr int pieces_before_pairs = 16;

// Summaries

/// Pixels whose sums are added up in narrow types. Squares of more bytes may overflow 32 bits. Not measured
/// apart.
inline constexpr std::int64_t summed_pixels = 1 << 15;

}  // namespace macareu::cpu::tuning
