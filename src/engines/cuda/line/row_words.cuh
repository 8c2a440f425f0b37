// Words of a line in shared memory: the value of one row in 32 bits, or those of two rows in 16 bits each.
// With two rows every instruction of a search serves both.
#pragma once

#include <cstdint>

namespace macareu::cuda {

__device__ __forceinline__ std::uint32_t square(int k) { return static_cast<std::uint32_t>(k * k); }

/// Squared steps from the rows of a column to the nearest site. Bit i of `here`: row i is a site. `back`:
/// steps back from the first row; `ahead`: steps ahead from the last row.
template <class Rows, int Lines>
__device__ __forceinline__ void squares_step_by_step(std::uint32_t here, int back, int ahead,
                                                     std::uint32_t (&to)[Lines]) {
  constexpr int rows = Lines * Rows::rows;
  int nearest[rows];
  nearest[0] = back;
#pragma unroll
  for (int i = 1; i < rows; ++i) nearest[i] = here & (1u << i) ? 0 : nearest[i - 1] + 1;
  nearest[rows - 1] = min(nearest[rows - 1], ahead);
#pragma unroll
  for (int i = rows - 2; i >= 0; --i) {
    ahead = here & (1u << i) ? 0 : ahead + 1;
    nearest[i] = min(nearest[i], ahead);
  }
#pragma unroll
  for (int l = 0; l < Lines; ++l) {
    std::uint32_t values[Rows::rows];
#pragma unroll
    for (int r = 0; r < Rows::rows; ++r) values[r] = square(nearest[l * Rows::rows + r]);
    to[l] = Rows::word(values);
  }
}

/// A line is a row.
struct one_row {
  static constexpr int rows = 1;

  static __device__ std::uint32_t word(std::uint32_t value) { return value; }
  static __device__ std::uint32_t word(const std::uint32_t (&values)[1]) { return values[0]; }
  /// Mask of the rows of a word, of which `count` exist.
  static __device__ std::uint32_t there(int count) { return count > 0 ? ~0u : 0; }
  static constexpr std::uint32_t beyond_one = ~1u;
  static __device__ int steps(int counted) { return counted; }
  template <int Lines>
  static __device__ void squares(std::uint32_t here, int back, int ahead, std::uint32_t (&to)[Lines]) {
    squares_step_by_step<one_row>(here, back, ahead, to);
  }
  static __device__ int apart(int columns) { return columns; }
  static __device__ std::uint32_t cost(int k) { return square(k); }
  /// min(a + b, c), one instruction on Hopper.
  static __device__ std::uint32_t least_sum(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return __viaddmin_u32(a, b, c);
  }
  static __device__ std::uint32_t least(std::uint32_t a, std::uint32_t b) { return min(a, b); }
  static __device__ std::uint32_t least_of(std::uint32_t word) { return word; }
  static __device__ std::uint32_t greatest(const std::uint32_t (&d)[4]) {
    return max(max(d[0], d[1]), max(d[2], d[3]));
  }
  static constexpr __device__ std::uint32_t bits(int) { return ~0u; }
  template <class Finish, class Result>
  static __device__ void finish(const Finish& finish, const std::uint32_t (&d)[4], int, Result (&to)[4]) {
    finish(d, to);
  }
};

/// A line is two rows. Distances up to `reach` are exact; larger ones come out as at least `reach`. Steps of
/// the first axis are clamped to `reach` and grow by at most 7 in a block's eight rows. Distances along a
/// line are clamped to `reach` + 10, so the sum of both squares fits 16 bits.
struct two_rows {
  static constexpr int rows = 2;
  static __device__ std::uint32_t both(std::uint32_t low, std::uint32_t high) { return high << 16 | low; }
  static constexpr int reach = 172;
  static_assert((reach + 7) * (reach + 7) + (reach + 10) * (reach + 10) < 65536);

  static __device__ std::uint32_t word(std::uint32_t value) { return value * 0x10001u; }
  static __device__ std::uint32_t word(const std::uint32_t (&values)[2]) {
    return values[1] * 0x10000u + values[0];
  }
  static __device__ std::uint32_t there(int count) { return count > 1 ? ~0u : count > 0 ? 0xffffu : 0; }
  static constexpr std::uint32_t beyond_one = 0xfffefffeu;
  static __device__ int steps(int counted) { return min(counted, reach); }
  template <int Lines>
  static __device__ void squares(std::uint32_t here, int back, int ahead, std::uint32_t (&to)[Lines]) {
    constexpr int rows = 2 * Lines;
    constexpr std::uint32_t all = (1u << rows) - 1;
    here &= all;
    if (__any_sync(__activemask(), here != 0 && here != all))
      return squares_step_by_step<two_rows>(here, back, ahead, to);
    // Most columns have sites in all rows or in none: (steps + i)^2 of two rows at once.
    const std::uint32_t b = static_cast<std::uint32_t>(back), a = static_cast<std::uint32_t>(ahead);
    const std::uint32_t from_back = b * b * 0x10001u, from_ahead = a * a * 0x10001u, kept = here ? 0 : ~0u;
#pragma unroll
    for (int l = 0; l < Lines; ++l)
      to[l] = __vminu2(from_back + b * both(4 * l, 4 * l + 2) + both(square(2 * l), square(2 * l + 1)),
                       from_ahead + a * both(2 * (rows - 1 - 2 * l), 2 * (rows - 2 - 2 * l)) +
                           both(square(rows - 1 - 2 * l), square(rows - 2 - 2 * l))) &
              kept;
  }
  /// Offset from a group. Clamping keeps all its eight columns beyond the reach of all four places.
  static __device__ int apart(int columns) { return max(-(reach + 3), min(columns, reach + 7)); }
  static __device__ std::uint32_t cost(int k) { return square(k) * 0x10001u; }
  static __device__ std::uint32_t least_sum(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return __viaddmin_u16x2(a, b, c);
  }
  static __device__ std::uint32_t least(std::uint32_t a, std::uint32_t b) { return __vminu2(a, b); }
  static __device__ std::uint32_t least_of(std::uint32_t word) { return min(word & 0xffffu, word >> 16); }
  static __device__ std::uint32_t greatest(const std::uint32_t (&d)[4]) {
    const auto both = __vmaxu2(__vmaxu2(d[0], d[1]), __vmaxu2(d[2], d[3]));
    return max(both & 0xffffu, both >> 16);
  }
  static constexpr __device__ std::uint32_t bits(int row) { return row ? 0xffff0000u : 0xffffu; }
  template <class Finish, class Result>
  static __device__ void finish(const Finish& finish, const std::uint32_t (&d)[4], int row, Result (&to)[4]) {
    finish.halves(d, row, to);
  }
};

}  // namespace macareu::cuda
