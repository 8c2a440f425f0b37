// The kernels for lines of squares: best(i) = min over j of square(j) + (i - j)^2.
#pragma once

#include <cstdint>

namespace macareu::cpu {

/// What stands for all greater squares in 16 bits: twice as much still fits.
inline constexpr std::uint16_t narrow_far = 0x7fff;
/// Pixels that search together.
inline constexpr std::int64_t narrow_block = 32;

/// A line in 16 bits, searched near by only.
struct narrow_line {
  std::int64_t size;            // at least narrow_block
  const std::uint16_t* square;  // envelope_margin(size, true) of narrow_far lie before and after
  std::uint16_t limit;          // below narrow_far; greater values need not be right, only greater
  std::uint16_t* best;
  bool* left;  // for every block, the last of which ends with the line: whether it would have to look further
};

/// The places of a line that have a square and may be near enough, in their order. The last stands there
/// `square_padding` times more.
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

/// Pixels begin .. end - 1 by divide and conquer, in whole blocks of envelope_block: beyond them is room.
/// `best` has to hold what they have on their own; `nearest` is scratch for every block and one more.
inline void conquer(const square_places& places, std::int64_t begin, std::int64_t end, std::uint32_t* best,
                    std::int64_t* nearest) {
  best_square_kernels().conquer(places, begin, end, best, nearest);
}

/// The square roots, rounded to f64 and then to f32; `beyond` for values above the limit.
inline void roots(const std::uint32_t* of, std::int64_t size, std::uint32_t limit, float beyond, float* to) {
  best_square_kernels().roots_u32(of, size, limit, beyond, to);
}
inline void roots(const std::uint16_t* of, std::int64_t size, std::uint32_t limit, float beyond, float* to) {
  best_square_kernels().roots_u16(of, size, limit, beyond, to);
}

}  // namespace macareu::cpu
