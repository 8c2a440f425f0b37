// Tuning constants of pieces. "Compared": bench/results/pieces-constants-xeon-2-cores.json has processor
// seconds of whole commands for two or three values; values that differ by less than a tenth are alike.
// Others are parts of the count of memory, or were not measured apart.
#pragma once

#include <cstddef>
#include <cstdint>

namespace macareu::pieces::tuning {

/// Of the machine or cgroup, where no limit is given: the rest is for the page cache and other programs.
inline constexpr double share_of_free_memory = 0.7;

/// A run may take 64 MiB more than its limit, for the program, its threads and their buffers. Half of that is
/// for rims, so that small limits need not leave room for them.
inline constexpr std::int64_t bytes_beside_the_limit = std::int64_t{32} << 20;

/// Compared: 4 and 16 take 1.1 and 1.2 times as long, a MiB of a file instead of four 0.9 times.
/// Rows of objects that take more than one such share of the limit are kept in a file. So many bytes of it
/// are in memory at most, beside the limit.
inline constexpr std::int64_t large_share = 8;
inline constexpr std::int64_t bytes_of_mapped_rows = std::int64_t{4} << 20;

/// Of an object of a band, beside its row: a node of a hash map of labels, and its label.
inline constexpr std::size_t bytes_of_a_number = 64;

/// After these a machine that loses its power has lost no more of a run.
inline constexpr int seconds_between_syncs = 10;

/// Bytes per pixel that an engine needs beside images, at most: the forest of runs of labels, the worklist
/// and the graph of waves.
inline constexpr std::int64_t engine_bytes = 4;

/// Pieces that a rank gets at least, where the image is large enough. Each pixel on a rim of a wave costs as
/// much as several hundred others. Rims of bands cost little.
inline constexpr std::int64_t pieces_of_a_rank = 4, waves_of_a_rank = 2, bands_of_a_rank = 16;

/// Sides of a piece at least: smaller ones would take more time for their rims than for their pixels.
inline constexpr std::int64_t least_image_side = 16, least_volume_side = 8;

/// Where a piece does not fit, one with this share of pixels less is tried, one in so many.
inline constexpr std::int64_t share_tried_less = 8;

/// Work on objects gets as many threads as so many pixels would. Compared: a 16th of them is alike.
inline constexpr std::int64_t pixels_of_host_work = std::int64_t{1} << 24;

/// Parts of a rank's pieces that other ranks can take, at most.
inline constexpr std::int64_t groups_of_a_rank = 16;

/// A tile of a wave is patched from a list if at most this share of its pixels can still rise. Compared: 8 is
/// alike, 32 takes 1.3 times as long for reconstruction of tissue.
inline constexpr std::int64_t open_share = 16;

/// Parts of such a tile that are read and written for their open pixels. Compared: 16 and 256 rows, and 256
/// and 1024 columns, are alike.
inline constexpr std::int64_t patched_rows = 64, patched_columns = 2048;

/// Pixels of a piece of a watershed below which one piece is solved at a time. Compared: 2^18 and 2^22 are
/// alike.
inline constexpr std::int64_t least_basin_piece = std::int64_t{1} << 20;

/// On a GPU a piece needs up to so many times the bytes that it needs in host memory: its images, and the
/// graph of a contraction.
inline constexpr std::int64_t gpu_bytes_a_byte = 1;

/// Blocks that wait to be written, and boxes that are read ahead: one in work, and one to follow. Compared: 1
/// and 4 blocks, and 1 box, are alike; 3 boxes take 1.15 times as long.
inline constexpr std::int64_t most_waiting_writes = 2;
inline constexpr std::size_t most_boxes_ahead = 2;

/// Blocks of memory that are kept for the next piece: those of one piece. Compared: 2 and 16 are alike.
inline constexpr std::size_t most_spare_blocks = 8;

/// Of a block: smaller ones would take much more memory than they have bytes. Compared: alike without huge
/// pages for reconstruction; times of a Gaussian differ by more between runs.
inline constexpr std::size_t bytes_on_huge_pages = std::size_t{8} << 20;

/// Pixels of a slice of labels whose runs one thread collects. Compared: 2^14 takes 1.2 times as long, 2^18
/// is alike.
inline constexpr std::size_t run_pixels_claimed = std::size_t{1} << 16;

/// Bytes of a row that are compared with their capacities at a time: they stay in the first cache.
inline constexpr std::int64_t compared_bytes = 4096;

/// Below this limit no room is set apart for shapes that wait: all of it is for pixels.
inline constexpr std::int64_t low_memory = std::int64_t{1} << 30;
/// Of higher ones, the share for what an operator keeps of shapes.
inline constexpr std::int64_t share_of_shapes = 8;

/// Pixels that are searched for NaN without a branch. Compared: 512 and 32768 are alike.
inline constexpr std::int64_t searched_pixels = 4096;

}  // namespace macareu::pieces::tuning
