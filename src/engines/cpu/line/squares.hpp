// The kernels for lines of squares: best(i) = min over j of square(j) + (i - j)^2.
#pragma once

#include <cstdint>

namespace macareu::cpu {

/// Stands for all greater squares in 16 bits. Twice the value still fits.
inline constexpr std::uint16_t narrow_far = 0x7fff;
/// Pixels that are searched together.
inline constexpr std::int64_t narrow_block = 32;

/// A line in 16 bits, searched at short range only.
struct narrow_line {
  std::int64_t size;            // at least narrow_block
  const std::uint16_t* square;  // padded with envelope_margin(size, true) times narrow_far on both sides
  std::uint16_t limit;          // below narrow_far; values above it need not be exact, only above it
  std::uint16_t* best;
  bool* left;  // per block: needs a longer search; the last block ends with the line
};

/// The places of a line that have a square and may be near enough, in order. The last is repeated
/// `square_padding` times as padding.
struct square_places {
  std::int64_t count;
  const std::uint32_t* place;
  const std::uint32_t* square;
};
inline constexpr std::int64_t square_padding = 16;

struct square_kernels {
  void (*solve_narrow)(const narrow_line&);
  void (*conquer)(const square_places&, std::int64_t begin, std::int64_t end, std::uint32_t* best,
                  std::int64_t* nearest);
  void (*roots_u32)(const std::uint32_t*, std::int64_t size, std::uint32_t limit, float beyond, float* to);
  void (*roots_u16)(const std::uint16_t*, std::int64_t size, std::uint32_t limit, float beyond, float* to);
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const square_kernels own_square_kernels;
const square_kernels& best_square_kernels();

inline void solve(const narrow_line& line) { best_square_kernels().solve_narrow(line); }

/// Solves pixels begin .. end - 1 by divide and conquer. Writes whole blocks of envelope_block, so `best`
/// needs room beyond `end`. On entry `best` holds each pixel's own value. `nearest`: scratch, one per block
/// and one more.
inline void conquer(const square_places& places, std::int64_t begin, std::int64_t end, std::uint32_t* best,
                    std::int64_t* nearest) {
  best_square_kernels().conquer(places, begin, end, best, nearest);
}

/// Square roots, rounded to f64 and then to f32. Values above the limit become `beyond`.
inline void roots(const std::uint32_t* of, std::int64_t size, std::uint32_t limit, float beyond, float* to) {
  best_square_kernels().roots_u32(of, size, limit, beyond, to);
}
inline void roots(const std::uint16_t* of, std::int64_t size, std::uint32_t limit, float beyond, float* to) {
  best_square_kernels().roots_u16(of, size, limit, beyond, to);
}

}  // namespace macareu::cpu
