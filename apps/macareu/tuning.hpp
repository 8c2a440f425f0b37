// Tuning constants of the tool. None was measured apart: other values were not compared.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace macareu::tool::tuning {

/// Bytes per pixel that an engine needs beside images: the estimate of what a run in memory takes. That of
/// pieces (engines/pieces/tuning.hpp) is the same.
inline constexpr std::int64_t engine_bytes_per_pixel = 4;

/// An object of four pixels has 448 bytes of rows and text.
inline constexpr std::int64_t object_bytes_per_pixel = 112;

/// Compressed pictures of flat areas take up to so many times their size in memory. Larger files alone are
/// opened to see how large their images are.
inline constexpr std::int64_t largest_expansion = 64;

/// From which on the loss of a run counts: its outputs are made durable.
inline constexpr std::chrono::seconds long_run(10);

/// Bytes of pixels that are copied or drawn at a time: few beside any limit, many beside a call of the
/// system.
inline constexpr std::int64_t copied_bytes = std::int64_t{4} << 20;

/// Bytes of a band whose polygons are found at a time: few, so that threads find them in a cache.
inline constexpr std::int64_t bytes_of_outlines = std::int64_t{16} << 20;

/// Bytes of a band that `generate` writes at a time, where no limit is given: enough rows for all threads.
inline constexpr std::int64_t generated_bytes = std::int64_t{64} << 20;

/// Bytes of text that are written at once.
inline constexpr std::size_t bytes_a_write = std::size_t{1} << 20;

/// Under a limit of memory, blocks of 1 / large_share of it go back to the system when they are freed.
/// glibc raises the least size to that of blocks it has seen, and takes no more than the most.
inline constexpr std::int64_t large_share = 128, least_large = std::int64_t{4} << 20,
                              most_large = std::int64_t{32} << 20;

}  // namespace macareu::tool::tuning
