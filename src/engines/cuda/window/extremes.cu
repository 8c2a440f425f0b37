// A block reads its pixels and those around them to shared memory and computes chords of any footprint from
// runs of 2^k pixels, raised in place from level to level (engines/cpu/window/extremes.cpp has the formula).
// The lanes of a word are pixels of different strips of rows, so that shifts along x are whole words.
#include "engines/cuda/window/extremes.cuh"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/residence.cuh"
#include "engines/cuda/runtime/shared_memory.cuh"
#include "engines/cuda/window/window.cuh"
#include "patterns/separated_box.hpp"

namespace macareu::cuda {
namespace {

constexpr int threads = 256, warps = threads / 32, columns = 64, rows_at_once = threads / columns;
constexpr int most_chords = 240, most_levels = 8;
/// A pass reads at most so many rows, and columns, beside a strip: what shared memory holds.
constexpr int longest_side = 128;
static_assert(1 << (most_levels - 1) >= longest_side);

/// The chords of one slice of a footprint that fit a block's memory.
struct chord_pass {
  struct place {
    int first, apart;  // of the runs that make up a chord, in words of the tile
  };
  int dz, top, left;  // of the tile from the strip
  int lines, width;   // of the tile
  int last_level;
  int end[most_levels];  // chords of level k are those before end[k]
  place chords[most_chords];
};

template <class Key>
struct packed {  // one pixel
  using word = Key;
  static constexpr int lanes = 1;
  struct least {
    word value = static_cast<word>(~word{0});
    __device__ void join(word a, word b) {
      a = a < b ? a : b;
      value = a < value ? a : value;
    }
    __device__ word all() const { return value; }
  };
  __device__ static word lesser(word a, word b) { return a < b ? a : b; }
};
template <>
struct packed<std::uint16_t> {
  using word = std::uint32_t;
  static constexpr int lanes = 2;
  struct least {
    word value = ~word{0};
    __device__ void join(word a, word b) { value = __vimin3_u16x2(value, a, b); }
    __device__ word all() const { return value; }
  };
  __device__ static word lesser(word a, word b) { return __vminu2(a, b); }
};
/// As pairs of 16 bits: the minimum of odd bytes is right whatever the even bytes hold, and a shift makes
/// even bytes odd. There is no fast minimum of four bytes.
template <>
struct packed<std::uint8_t> {
  using word = std::uint32_t;
  static constexpr int lanes = 4;
  struct least {
    word odd = ~word{0}, even = ~word{0};
    __device__ void join(word a, word b) {
      odd = __vimin3_u16x2(odd, a, b);
      even = __vimin3_u16x2(even, a << 8, b << 8);
    }
    __device__ word all() const { return __byte_perm(odd, even, 0x3715); }
  };
  __device__ static word lesser(word a, word b) {
    return __byte_perm(__vminu2(a, b), __vminu2(a << 8, b << 8), 0x3715);
  }
};

/// The tile of a pass. A warp takes a row of it.
template <class Key>
struct extreme_tile {
  using word = typename packed<Key>::word;
  static constexpr int lanes = packed<Key>::lanes;

  word* words;
  int lines, width;

  /// `first`: of the first strip; strips lie `strip` rows apart.
  __device__ void read(const view<const Key>& in, const border<Key>& edge, const key_map<Key>& order,
                       site first, int strip) const {
    const bool constant = edge.mode == border_mode::constant;
    const bool beside = first.z < 0 || first.z >= in.depth;
    const bool inside_columns = first.x >= 0 && first.x + width <= in.width;
    for (int line = threadIdx.x / 32; line < lines; line += warps) {
      const Key* rows[lanes];
#pragma unroll
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int64_t y = first.y + line + lane * strip;
        const bool outside = beside || y < 0 || y >= in.height;
        rows[lane] = constant && outside
                         ? nullptr
                         : in.at(fold_near(edge, first.z, in.depth), fold_near(edge, y, in.height));
      }
      for (int column = threadIdx.x % 32; column < width; column += 32) {
        std::int64_t x = first.x + column;
        const bool outside = !inside_columns && (x < 0 || x >= in.width);
        if (outside && !constant) x = fold_near(edge, x, in.width);
        word all = 0;
#pragma unroll
        for (int lane = 0; lane < lanes; ++lane) {
          const bool is_read = rows[lane] && !(constant && outside);
          const Key bits = is_read ? rows[lane][x * in.step_x] : edge.outside;
          all |= static_cast<word>(order.key(bits)) << (lane * 8 * sizeof(Key));
        }
        words[line * width + column] = all;
      }
    }
  }

  /// Runs of 2^level pixels become runs of twice as many. Those that would leave the row stay: no chord reads
  /// them.
  __device__ void raise(int level) const {
    constexpr int parts = (columns + longest_side - 1 + 31) / 32;
    const int step = 1 << level;
    for (int line = threadIdx.x / 32; line < lines; line += warps) {
      word* const row = words + line * width + threadIdx.x % 32;
      const int count = width - step - static_cast<int>(threadIdx.x % 32);
      word raised[parts];
#pragma unroll
      for (int part = 0; part < parts; ++part)
        if (32 * part < count) raised[part] = packed<Key>::lesser(row[32 * part], row[32 * part + step]);
      __syncwarp();
#pragma unroll
      for (int part = 0; part < parts; ++part)
        if (32 * part < count) row[32 * part] = raised[part];
    }
  }
};

extern __shared__ __align__(16) unsigned char extreme_memory[];

/// `again`: the output has the result of other passes.
template <class Key, int Rows>
__global__ void __launch_bounds__(threads)
    extreme_pixels(const __grid_constant__ chord_pass pass, key_map<Key> order,
                   const __grid_constant__ border<Key> edge, const __grid_constant__ view<Key> out,
                   const __grid_constant__ view<const Key> in, bool again) {
  using shape = packed<Key>;
  using word = typename shape::word;
  constexpr int strip = Rows * rows_at_once;
  const std::int64_t across = (out.width + columns - 1) / columns,
                     down = (out.height + shape::lanes * strip - 1) / (shape::lanes * strip);
  const std::int64_t tile = blockIdx.x, of_slice = tile % (across * down);
  const site p{tile / (across * down), of_slice / across * (shape::lanes * strip),
               of_slice % across * columns};
  const extreme_tile<Key> near{reinterpret_cast<word*>(extreme_memory), pass.lines, pass.width};
  near.read(in, edge, order, {p.z + pass.dz, p.y + pass.top, p.x + pass.left}, strip);
  __syncthreads();

  const int column = threadIdx.x % columns, row = threadIdx.x / columns;
  const word* const own = near.words + row * pass.width + column;
  typename shape::least least[Rows];
  int i = 0;
#pragma unroll 1
  for (int level = 0;; ++level) {
#pragma unroll 2
    for (; i < pass.end[level]; ++i) {
      const word* run = own + pass.chords[i].first;
      const int apart = pass.chords[i].apart;
#pragma unroll
      for (int k = 0; k < Rows; ++k, run += rows_at_once * pass.width) least[k].join(run[0], run[apart]);
    }
    if (level == pass.last_level) break;
    __syncthreads();
    near.raise(level);
    __syncthreads();
  }

  const std::int64_t x = p.x + column;
  if (x >= out.width) return;
#pragma unroll
  for (int k = 0; k < Rows; ++k) {
    const word all = least[k].all();
#pragma unroll
    for (int lane = 0; lane < shape::lanes; ++lane) {
      const std::int64_t y = p.y + lane * strip + k * rows_at_once + row;
      if (y >= out.height) continue;
      Key& to = out[{p.z, y, x}];
      Key key = static_cast<Key>(all >> (lane * 8 * sizeof(Key)));
      if (again) {
        const Key before = order.key(to);
        key = before < key ? before : key;
      }
      to = order.bits(key);
    }
  }
}

/// Chords of one slice that lie in one part of its box, clipped to it.
struct part {
  int top, bottom, left, right;
  std::vector<chord> chords;
};

part part_of(std::vector<chord> chords) {
  part all{chords.front().dy, chords.back().dy, chords[0].first, chords[0].last, {}};
  for (const auto& each : chords) {
    all.left = std::min(all.left, each.first);
    all.right = std::max(all.right, each.last);
  }
  all.chords = std::move(chords);
  return all;
}

/// Parts of at most side x side pixels and `most_chords` chords.
std::vector<part> parts_of(std::span<const chord> slice, int side) {
  const part whole = part_of({slice.begin(), slice.end()});
  const int height = whole.bottom - whole.top + 1, width = whole.right - whole.left + 1;
  const int high = ceil_div(height, ceil_div(height, side)), wide = ceil_div(width, ceil_div(width, side));
  std::vector<part> all;
  for (int top = whole.top; top <= whole.bottom; top += high)
    for (int left = whole.left; left <= whole.right; left += wide) {
      std::vector<chord> inside;
      const auto give = [&] {
        if (!inside.empty()) all.push_back(part_of(std::move(inside)));
        inside.clear();
      };
      for (const auto& each : slice) {
        if (each.dy < top || each.dy >= top + high || each.last < left || each.first >= left + wide) continue;
        inside.push_back(
            {each.dz, each.dy, std::max(each.first, left), std::min(each.last, left + wide - 1)});
        if (inside.size() == most_chords) give();
      }
      give();
    }
  return all;
}

/// Chords in the order of their levels.
chord_pass pass_of(const part& from, int strip) {
  chord_pass pass{};
  pass.dz = from.chords[0].dz;
  pass.top = from.top;
  pass.left = from.left;
  pass.lines = strip + from.bottom - from.top;
  pass.width = columns + from.right - from.left;
  int count = 0;
  for (int level = 0; level < most_levels; ++level) {
    for (const auto& each : from.chords) {
      const int length = each.last - each.first + 1;
      if (std::bit_width(static_cast<unsigned>(length)) - 1 != level) continue;
      pass.chords[count++] = {(each.dy - from.top) * pass.width + each.first - from.left,
                              length - (1 << level)};
      pass.last_level = level;
    }
    pass.end[level] = count;
  }
  return pass;
}

template <class Key, int Rows>
void run_part(const gpu& on, const part& from, const key_map<Key>& order, const border<Key>& edge,
              const view<Key>& out, const view<const Key>& in, bool again) {
  using shape = packed<Key>;
  constexpr int strip = Rows * rows_at_once;
  const auto pass = pass_of(from, strip);
  const auto bytes = sizeof(typename shape::word) * static_cast<std::size_t>(pass.lines * pass.width);
  const auto tiles =
      out.depth * ceil_div(out.height, std::int64_t{shape::lanes * strip}) * ceil_div(out.width, columns);
  allow_shared_memory<extreme_pixels<Key, Rows>>(on);
  extreme_pixels<Key, Rows>
      <<<static_cast<unsigned>(tiles), threads, bytes, on.stream>>>(pass, order, edge, out, in, again);
  on.launched("extremes");
}

/// Bytes of a tile around a strip of `rows` rows.
template <class Key>
std::size_t tile_bytes(int rows, int side) {
  return sizeof(typename packed<Key>::word) *
         static_cast<std::size_t>((rows + side - 1) * (columns + side - 1));
}

template <class Key>
void run_slices(const gpu& on, const key_map<Key>& order, std::span<const chord> footprint,
                const border<Key>& edge, const view<Key>& out, const view<const Key>& in) {
  constexpr int few = 8, many = 16;
  int side = longest_side;
  while (tile_bytes<Key>(many * rows_at_once, side) > shared_limit(on)) side /= 2;
  bool again = false;
  for (std::size_t i = 0; i < footprint.size();) {
    auto end = i;
    while (end < footprint.size() && footprint[end].dz == footprint[i].dz) ++end;
    for (const auto& each : parts_of(footprint.subspan(i, end - i), side)) {
      // Around high footprints, higher strips read fewer rows more than once.
      const bool high = each.bottom - each.top >= 24;
      const auto run = high ? &run_part<Key, many> : &run_part<Key, few>;
      run(on, each, order, edge, out, in, again);
      again = true;
    }
    i = end;
  }
}

}  // namespace

template <class Key>
void run_extremes(const gpu& on, const key_map<Key>& order, std::span<const chord> footprint,
                  const border<Key>& edge, const view<Key>& out, const view<const Key>& in) {
  const auto box = separated(footprint);
  if (!box) return run_slices<Key>(on, order, footprint, edge, out, in);
  const device_image<Key> between(on, out.depth, out.height, out.width);
  run_slices<Key>(on, order, box->within_slices, edge, between.pixels(), in);
  run_slices<Key>(on, order, box->across_slices, edge, out, between.pixels());
}

template void run_extremes(const gpu&, const key_map<std::uint8_t>&, std::span<const chord>,
                           const border<std::uint8_t>&, const view<std::uint8_t>&,
                           const view<const std::uint8_t>&);
template void run_extremes(const gpu&, const key_map<std::uint16_t>&, std::span<const chord>,
                           const border<std::uint16_t>&, const view<std::uint16_t>&,
                           const view<const std::uint16_t>&);
template void run_extremes(const gpu&, const key_map<std::uint32_t>&, std::span<const chord>,
                           const border<std::uint32_t>&, const view<std::uint32_t>&,
                           const view<const std::uint32_t>&);
template void run_extremes(const gpu&, const key_map<std::uint64_t>&, std::span<const chord>,
                           const border<std::uint64_t>&, const view<std::uint64_t>&,
                           const view<const std::uint64_t>&);

}  // namespace macareu::cuda
