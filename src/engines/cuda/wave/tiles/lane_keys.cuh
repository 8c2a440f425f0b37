// Layout of a square tile of keys in a warp. A lane holds one line. For 8 and 16-bit keys it holds a pair of
// lines, two keys to a register: one instruction takes the minimum or maximum of both.
//
// In shared memory a tile is 32 lines, or pairs of lines, of 32 cells. A cell holds a lane's keys at one
// place: one key, or 2 x 2 keys in the order (line 0, place 0) (0, 1) (1, 0) (1, 1). Lines run along x or y.
// A pass writes its result transposed, so that the next pass finds the lines of the other axis. row_pairs
// defines which two rows of the image form a pair.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace macareu::cuda::tiles {

/// Rows 2 i and 2 i + 1, or the tile folded in the middle: rows i and 63 - i.
enum class row_pairs { adjacent, folded };

/// The row of the tile that is line `which` of a pair, or the only one of wide keys.
template <row_pairs Pairs, class Keys>
__host__ __device__ constexpr int row_of(int pair, int which) {
  if (Pairs == row_pairs::folded) return which ? Keys::side - 1 - pair : pair;
  return pair * Keys::per_cell + which;
}

/// Two 16-bit numbers at a time.
struct pair_arithmetic {
  using word = std::uint32_t;
  static constexpr int per_cell = 2;
  static constexpr int side = 64;

  static __device__ word lower(word a, word b) { return __vminu2(a, b); }
  static __device__ word higher(word a, word b) { return __vmaxu2(a, b); }
  /// Not 0 if any key of a is above that of b.
  static __device__ word above(word a, word b) { return higher(a, b) ^ b; }
  /// All ones where a >= b.
  static __device__ word not_below(word a, word b) { return __vcmpgeu2(a, b); }
  /// The keys on either side of each key across the lanes.
  static __device__ word left_of(word w, word lane_before) { return __byte_perm(lane_before, w, 0x5432); }
  static __device__ word right_of(word w, word lane_after) { return __byte_perm(w, lane_after, 0x5432); }
};

template <class Word>
struct plain_arithmetic {
  using word = Word;
  static constexpr int per_cell = 1;
  static constexpr int side = 32;

  static __device__ word lower(word a, word b) { return a < b ? a : b; }
  static __device__ word higher(word a, word b) { return a > b ? a : b; }
  static __device__ word above(word a, word b) { return a > b ? ~word{0} : 0; }
  static __device__ word not_below(word a, word b) { return a >= b ? ~word{0} : 0; }
  static __device__ word left_of(word, word lane_before) { return lane_before; }
  static __device__ word right_of(word, word lane_after) { return lane_after; }
};

template <class Key>
struct lane_keys;

/// A key is the high byte of its 16-bit half. The low byte is arbitrary and never affects the result.
template <>
struct lane_keys<std::uint8_t> : pair_arithmetic {
  using key = std::uint8_t;
  using cell = std::uint32_t;
  using run = std::uint16_t;        // a lane's keys of a rim, as they lie in memory
  static constexpr int pitch = 36;  // cells of a row: no bank conflicts by rows of 16 bytes, nor by columns
  static constexpr bool sums = true;

  static __device__ void unpack(cell c, word* r) { r[0] = c << 8, r[1] = c; }
  static __device__ cell pack(const word* r) { return __byte_perm(r[0], r[1], 0x7351); }
  static __device__ void unpack_turned(cell c, word* r) {
    r[0] = __byte_perm(c, 0, 0x1404), r[1] = __byte_perm(c, 0, 0x3424);
  }
  static __device__ cell pack_turned(const word* r) { return __byte_perm(r[0], r[1], 0x7531); }
  static __device__ word clean(word w) { return w & 0xff00ff00u; }
  static __device__ word from_run(run r) { return __byte_perm(r, 0, 0x1404); }
  static __device__ run to_run(word w) { return static_cast<run>(__byte_perm(w, 0, 0x4431)); }
  static __device__ word both(key k) { return k * 0x01000100u; }
  static __device__ key first_key(word w) { return static_cast<key>(w >> 8); }
  static __device__ key last_key(word w) { return static_cast<key>(w >> 24); }
  static __device__ cell make(const key (&k)[2][2]) {
    return k[0][0] | k[0][1] << 8 | k[1][0] << 16 | static_cast<cell>(k[1][1]) << 24;
  }
  static __device__ key at(cell c, int y, int x) { return static_cast<key>(c >> (16 * y + 8 * x)); }
  static __device__ unsigned sum(cell c, unsigned total) { return __dp4a(c, 0x01010101u, total); }
};

template <>
struct lane_keys<std::uint16_t> : pair_arithmetic {
  using key = std::uint16_t;
  using cell = uint2;
  using run = std::uint32_t;
  static constexpr int pitch = 35;
  static constexpr bool sums = true;

  static __device__ void unpack(cell c, word* r) {
    r[0] = __byte_perm(c.x, c.y, 0x5410), r[1] = __byte_perm(c.x, c.y, 0x7632);
  }
  static __device__ void unpack_turned(cell c, word* r) { r[0] = c.x, r[1] = c.y; }
  static __device__ cell pack_turned(const word* r) { return {r[0], r[1]}; }
  static __device__ word clean(word w) { return w; }
  static __device__ word from_run(run r) { return r; }
  static __device__ run to_run(word w) { return w; }
  static __device__ word both(key k) { return k * 0x00010001u; }
  static __device__ key first_key(word w) { return static_cast<key>(w); }
  static __device__ key last_key(word w) { return static_cast<key>(w >> 16); }
  static __device__ cell make(const key (&k)[2][2]) {
    return {k[0][0] | static_cast<word>(k[0][1]) << 16, k[1][0] | static_cast<word>(k[1][1]) << 16};
  }
  static __device__ key at(cell c, int y, int x) { return static_cast<key>((y ? c.y : c.x) >> (16 * x)); }
  static __device__ unsigned sum(cell c, unsigned total) {
    return __dp2a_lo(c.x, 0x0101u, __dp2a_lo(c.y, 0x0101u, total));
  }
};

template <class Word>
struct wide_lane_keys : plain_arithmetic<Word> {
  using key = Word;
  using cell = Word;
  using run = Word;
  using word = Word;
  static constexpr int pitch = 35;
  static constexpr bool sums = false;  // a sum could wrap around to the same value

  static __device__ void unpack(cell c, word* r) { r[0] = c; }
  static __device__ void unpack_turned(cell c, word* r) { r[0] = c; }
  static __device__ cell pack_turned(const word* r) { return r[0]; }
  static __device__ word clean(word w) { return w; }
  static __device__ word from_run(run r) { return r; }
  static __device__ run to_run(word w) { return w; }
  static __device__ word both(key k) { return k; }
  static __device__ key first_key(word w) { return w; }
  static __device__ key last_key(word w) { return w; }
  static __device__ cell make(const key (&k)[1][1]) { return k[0][0]; }
  static __device__ key at(cell c, int, int) { return c; }
};
template <>
struct lane_keys<std::uint32_t> : wide_lane_keys<std::uint32_t> {};
template <>
struct lane_keys<std::uint64_t> : wide_lane_keys<std::uint64_t> {};

}  // namespace macareu::cuda::tiles
