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
#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/runtime/residence.cuh"
#include "engines/cuda/runtime/shared_memory.cuh"
#include "engines/cuda/tuning.hpp"
#include "engines/cuda/window/window.cuh"
#include "patterns/separated_box.hpp"

namespace macareu::cuda {
namespace {

constexpr int columns = tuning::extreme_columns, rows_per_thread = tuning::extreme_rows_of_a_thread;
constexpr int most_chords = tuning::chords_of_a_launch, most_levels = 8;
/// A block's threads, and the words from line to line of its tile: a constant, so that rows of a thread are
/// constant offsets.
template <int Threads, int Pitch>
struct block_shape {
  static constexpr int threads = Threads, pitch = Pitch, warps = threads / 32;
  static constexpr int rows_at_once = threads / columns, strip = rows_per_thread * rows_at_once;
};
using small_blocks = block_shape<tuning::small_extreme_threads, tuning::small_extreme_pitch>;
using large_blocks = block_shape<tuning::large_extreme_threads, tuning::large_extreme_pitch>;

/// First columns of tiles are multiples of this, so that four bytes are read at once.
constexpr int column_unit = 4;
/// A pass has footprints of at most so many rows and columns: two blocks then fit a multiprocessor.
constexpr int longest_side = large_blocks::pitch - columns - column_unit;
/// Small blocks have footprints of at most so many; they fit the shared memory of every GPU.
constexpr int small_side = small_blocks::pitch - columns - column_unit + 1;
static_assert(1 << most_levels > longest_side && large_blocks::pitch % column_unit == 0);

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
};

/// The tile of a pass. A warp takes a row of it.
template <class Key, class Shape>
struct extreme_tile {
  using word = typename packed<Key>::word;
  static constexpr int lanes = packed<Key>::lanes;

  word* words;
  int lines, width;

  /// `first`: of the first strip. `vectors`: rows are dense and begin at multiples of four bytes.
  __device__ void read(const view<const Key>& in, const border<Key>& edge, const key_map<Key>& order,
                       site first, bool vectors) const {
    const bool constant = edge.mode == border_mode::constant;
    const bool beside = first.z < 0 || first.z >= in.depth;
    const bool inside_columns = first.x >= 0 && first.x + width <= in.width;
    for (int line = threadIdx.x / 32; line < lines; line += Shape::warps) {
      const Key* rows[lanes];
#pragma unroll
      for (int lane = 0; lane < lanes; ++lane) {
        const std::int64_t y = first.y + line + lane * Shape::strip;
        const bool outside = beside || y < 0 || y >= in.height;
        rows[lane] = constant && outside
                         ? nullptr
                         : in.at(fold_near(edge, first.z, in.depth), fold_near(edge, y, in.height));
      }
      if constexpr (lanes == 4) {
        if (vectors && inside_columns) {
          read_vectors(rows, edge.outside, order, first.x, line);
          continue;
        }
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
        words[line * Shape::pitch + column] = all;
      }
    }
  }

  /// Four bytes of four rows become words of four columns.
  __device__ void read_vectors(const Key* const* rows, Key outside, const key_map<Key>& order, std::int64_t x,
                               int line) const {
    constexpr std::uint32_t each = 0x01010101;
    const std::uint32_t flip = order.flip * each;
    for (int column = threadIdx.x % 32 * 4; column < width; column += 32 * 4) {
      std::uint32_t q[4];
#pragma unroll
      for (int lane = 0; lane < 4; ++lane)
        q[lane] =
            (rows[lane] ? *reinterpret_cast<const std::uint32_t*>(rows[lane] + x + column) : outside * each) ^
            flip;
      const auto a = __byte_perm(q[0], q[1], 0x5140), b = __byte_perm(q[2], q[3], 0x5140);
      const auto c = __byte_perm(q[0], q[1], 0x7362), d = __byte_perm(q[2], q[3], 0x7362);
      *reinterpret_cast<uint4*>(words + line * Shape::pitch + column) = {
          __byte_perm(a, b, 0x5410), __byte_perm(a, b, 0x7632), __byte_perm(c, d, 0x5410),
          __byte_perm(c, d, 0x7632)};
    }
  }

  /// Runs of 2^level pixels become runs of 2^Levels as many. Those that would leave the row stay: no chord
  /// reads them.
  template <int Levels>
  __device__ void raise(int level) const {
    constexpr int parts = (Shape::pitch + 31) / 32, runs = 1 << Levels;
    const int step = 1 << level;
    for (int line = threadIdx.x / 32; line < lines; line += Shape::warps) {
      word* const row = words + line * Shape::pitch + threadIdx.x % 32;
      const int count = width - (runs - 1) * step - static_cast<int>(threadIdx.x % 32);
      word raised[parts];
#pragma unroll
      for (int part = 0; part < parts; ++part) {
        if (32 * part >= count) continue;
        typename packed<Key>::least all;
#pragma unroll
        for (int run = 0; run < runs; run += 2)
          all.join(row[32 * part + run * step], row[32 * part + (run + 1) * step]);
        raised[part] = all.all();
      }
      __syncwarp();
#pragma unroll
      for (int part = 0; part < parts; ++part)
        if (32 * part < count) row[32 * part] = raised[part];
    }
  }
};

extern __shared__ __align__(16) unsigned char extreme_memory[];

/// `again`: the output has the result of other passes.
template <class Key, class Shape>
__global__ void __launch_bounds__(Shape::threads)
    extreme_pixels(const __grid_constant__ chord_pass pass, key_map<Key> order,
                   const __grid_constant__ border<Key> edge, const __grid_constant__ view<Key> out,
                   const __grid_constant__ view<const Key> in, bool vectors, bool again) {
  using packing = packed<Key>;
  using word = typename packing::word;
  constexpr int strip = Shape::strip, rows_at_once = Shape::rows_at_once;
  const std::int64_t across = (out.width + columns - 1) / columns,
                     down = (out.height + packing::lanes * strip - 1) / (packing::lanes * strip);
  const std::int64_t tile = blockIdx.x, of_slice = tile % (across * down);
  const site p{tile / (across * down), of_slice / across * (packing::lanes * strip),
               of_slice % across * columns};
  const extreme_tile<Key, Shape> near{reinterpret_cast<word*>(extreme_memory), pass.lines, pass.width};
  near.read(in, edge, order, {p.z + pass.dz, p.y + pass.top, p.x + pass.left}, vectors);
  __syncthreads();

  const int column = threadIdx.x % columns, row = threadIdx.x / columns;
  const word* const own = near.words + row * Shape::pitch + column;
  typename packing::least least[rows_per_thread];
  int i = 0;
#pragma unroll 1
  for (int level = 0;;) {
#pragma unroll 2
    for (; i < pass.end[level]; ++i) {
      const word* const run = own + pass.chords[i].first;
      const word* const other = run + pass.chords[i].apart;
#pragma unroll
      for (int k = 0; k < rows_per_thread; ++k)
        least[k].join(run[k * rows_at_once * Shape::pitch], other[k * rows_at_once * Shape::pitch]);
    }
    if (level == pass.last_level) break;
    __syncthreads();
    if (level + 1 < pass.last_level && pass.end[level + 1] == i) {
      near.template raise<2>(level);
      level += 2;
    } else {
      near.template raise<1>(level);
      level += 1;
    }
    __syncthreads();
  }

  const std::int64_t x = p.x + column;
  if (x >= out.width) return;
#pragma unroll
  for (int lane = 0; lane < packing::lanes; ++lane) {
    std::int64_t y = p.y + lane * strip + row;
    Key* to = &out[{p.z, y, x}];
#pragma unroll
    for (int k = 0; k < rows_per_thread; ++k, y += rows_at_once, to += rows_at_once * out.step_y) {
      if (y >= out.height) break;
      Key key = static_cast<Key>(least[k].all() >> (lane * 8 * sizeof(Key)));
      if (again) {
        const Key before = order.key(*to);
        key = before < key ? before : key;
      }
      *to = order.bits(key);
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
template <class Shape>
chord_pass pass_of(const part& from) {
  chord_pass pass{};
  pass.dz = from.chords[0].dz;
  pass.top = from.top;
  pass.left = from.left - (from.left % column_unit + column_unit) % column_unit;
  pass.lines = Shape::strip + from.bottom - from.top;
  pass.width = ceil_div(columns + from.right - pass.left, column_unit) * column_unit;
  int count = 0;
  for (int level = 0; level < most_levels; ++level) {
    for (const auto& each : from.chords) {
      const int length = each.last - each.first + 1;
      if (std::bit_width(static_cast<unsigned>(length)) - 1 != level) continue;
      pass.chords[count++] = {(each.dy - from.top) * Shape::pitch + each.first - pass.left,
                              length - (1 << level)};
      pass.last_level = level;
    }
    pass.end[level] = count;
  }
  return pass;
}

template <class Key, class Shape>
void run_part(const gpu& on, const part& from, const key_map<Key>& order, const border<Key>& edge,
              const view<Key>& out, const view<const Key>& in, bool again) {
  using packing = packed<Key>;
  const auto pass = pass_of<Shape>(from);
  const auto bytes = sizeof(typename packing::word) * static_cast<std::size_t>(pass.lines * Shape::pitch);
  const auto tiles = out.depth * ceil_div(out.height, std::int64_t{packing::lanes * Shape::strip}) *
                     ceil_div(out.width, columns);
  const bool vectors = has_aligned_groups(in, column_unit);
  allow_shared_memory<extreme_pixels<Key, Shape>>(on);
  extreme_pixels<Key, Shape><<<static_cast<unsigned>(tiles), Shape::threads, bytes, on.stream>>>(
      pass, order, edge, out, in, vectors, again);
  on.launched("extremes");
}

template <class Key>
void run_slices(const gpu& on, const key_map<Key>& order, std::span<const chord> footprint,
                const border<Key>& edge, const view<Key>& out, const view<const Key>& in) {
  const auto fits_large = [&](int lines) {
    constexpr auto line_bytes = sizeof(typename packed<Key>::word) * large_blocks::pitch;
    return line_bytes * static_cast<std::size_t>(large_blocks::strip + lines - 1) <= shared_limit(on);
  };
  int side = longest_side;
  while (side > small_side && !fits_large(side)) side /= 2;
  side = std::max(side, small_side);
  bool again = false;
  for (std::size_t i = 0; i < footprint.size();) {
    auto end = i;
    while (end < footprint.size() && footprint[end].dz == footprint[i].dz) ++end;
    for (const auto& each : parts_of(footprint.subspan(i, end - i), side)) {
      const int lines = each.bottom - each.top + 1;
      const bool large =
          (lines > tuning::low_footprint || each.right - each.left >= small_side) && fits_large(lines);
      const auto run = large ? &run_part<Key, large_blocks> : &run_part<Key, small_blocks>;
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
