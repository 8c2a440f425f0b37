// Finds the parts of objects inside tiles, by union-find over runs in shared memory. A thread owns half a
// thick row.
#pragma once

#include "engines/cuda/component/bit_runs.cuh"
#include "engines/cuda/component/forests.cuh"
#include "engines/cuda/component/launch.cuh"

namespace macareu::cuda::labels {

/// Threads of a block; a block takes one tile.
template <class Shape>
constexpr int inside_threads = 2 * Shape::thick_rows;

template <class Shape>
struct tile_rows {
  std::uint32_t set[2][Shape::rows];          // halves of pixel rows
  std::uint32_t heads[2][Shape::thick_rows];  // of thick rows
  std::uint32_t entries[Shape::thick_rows * Shape::slots];

  __device__ std::uint32_t pixel_row(int half, int y, int z, int k) const {
    return set[half][(z * Shape::rows_z + k / Shape::rows_y) * Shape::height + y * Shape::rows_y +
                     k % Shape::rows_y];
  }
  /// The OR of a thick row's pixel rows on the side of (dy, dz).
  __device__ __forceinline__ std::uint32_t facing(int half, int y, int z, int dy, int dz) const {
    std::uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < Shape::rows_of_thick; ++k) {
      const int row_y = k % Shape::rows_y, row_z = k / Shape::rows_y;
      if ((dy == 0 || row_y == (dy < 0 ? 0 : Shape::rows_y - 1)) &&
          (dz == 0 || row_z == (dz < 0 ? 0 : Shape::rows_z - 1)))
        bits |= pixel_row(half, y, z, k);
    }
    return bits;
  }
};

/// One thread's state of its half row.
template <class Shape>
struct half_row {
  tile_rows<Shape>& tile;
  int row, half;
  int y, z;  // of the thick row in the tile
  std::uint32_t pixels[Shape::rows_of_thick];
  std::uint32_t set = 0, heads = 0, joined = 0;
  run_links<std::uint32_t> links[Shape::offsets];

  __device__ half_row(tile_rows<Shape>& tile, int row, int half)
      : tile(tile), row(row), half(half), y(row % Shape::down), z(row / Shape::down) {}

  __device__ tile_forest forest() const { return {tile.entries}; }
  __device__ bool has(int o) const {
    return y + Shape::dy(o) >= 0 && y + Shape::dy(o) < Shape::down && z + Shape::dz(o) >= 0;
  }
  __device__ int row_at(int o) const { return row + Shape::dz(o) * Shape::down + Shape::dy(o); }

  __device__ static std::uint32_t node(int row, int half, int bit) {
    return static_cast<std::uint32_t>(row * Shape::slots + ((half * 32 + bit) >> Shape::slot_shift));
  }
  /// The run that holds a pixel, in any half row of the tile.
  __device__ std::uint32_t run_of(int row, int half, int bit) const {
    return node(row, half, highest(tile.heads[half][row] & up_to<std::uint32_t>(bit)));
  }
  __device__ std::uint32_t own_run(int bit) const {
    return node(row, half, highest(heads & up_to<std::uint32_t>(bit)));
  }

  /// Visits every run with the warp in step: otherwise warps stay diverged after inner loops.
  template <class Visit>
  __device__ void for_each_run(Visit&& visit) const {
    for (std::uint32_t left = heads; __any_sync(~0u, left != 0); left &= left - 1)
      if (left) visit(lowest(left));
  }

  using pixel_rows = std::uint32_t[Shape::rows_of_thick];

  /// Which of the pixel rows holds the first pixel of a run, and that pixel.
  __device__ static void first_of(const pixel_rows& pixels, std::uint32_t run, int& k, std::uint32_t& pixel) {
    k = 0;
    std::uint32_t bits = pixels[0] & run;
#pragma unroll
    for (int other = 1; other < Shape::rows_of_thick; ++other)
      if (!bits) {
        bits = pixels[other] & run;
        k = other;
      }
    pixel = bits & -bits;
  }
  __device__ void first_of(std::uint32_t run, int& k, std::uint32_t& pixel) const {
    first_of(pixels, run, k, pixel);
  }

  /// The entry of a run that is a root. Keys are places of first pixels in raster order.
  __device__ std::uint32_t entry(int y, int z, const pixel_rows& pixels, std::uint32_t run, int head) const {
    int k;
    std::uint32_t pixel;
    first_of(pixels, run, k, pixel);
    const int pixel_row =
        (z * Shape::rows_z + k / Shape::rows_y) * Shape::height + y * Shape::rows_y + k % Shape::rows_y;
    return node(pixel_row, half, lowest(pixel)) << 16 | node(z * Shape::down + y, half, head);
  }
  /// The same, for the run in the row above that holds a pixel.
  __device__ std::uint32_t entry_above(int bit) const {
    pixel_rows above;
    std::uint32_t set_there = 0;
#pragma unroll
    for (int k = 0; k < Shape::rows_of_thick; ++k) set_there |= above[k] = tile.pixel_row(half, y - 1, z, k);
    const std::uint32_t heads_there = tile.heads[half][row - 1];
    const int head = highest(heads_there & up_to<std::uint32_t>(bit));
    return entry(y - 1, z, above, run_at<Shape>(set_there, heads_there, head), head);
  }

  /// Removes one link of a run from the lists and returns its target.
  __device__ bool take_link(std::uint32_t run, int& row_there, int& bit) {
    bool found = false;
#pragma unroll
    for (int o = 0; o < Shape::offsets; ++o) {
      auto& list = links[o];
      const auto take = [&](std::uint32_t& from, int shift) {
        const std::uint32_t bits = from & run;
        if (found || !bits) return;
        found = true;
        from ^= bits & -bits;
        row_there = row_at(o);
        bit = lowest(bits) + shift;
      };
      take(list.same, 0);
      take(list.west, -1);
      take(list.east, 1);
    }
    return found;
  }
};

/// Returns whether this thread has loaded a set pixel.
template <class Shape>
__device__ bool load_rows(const tile_grid& grid, const label_memory& memory, const tile_place& at,
                          tile_rows<Shape>& tile) {
  std::uint64_t seen = 0;
  for (int i = static_cast<int>(threadIdx.x); i < Shape::rows; i += inside_threads<Shape>) {
    const int y = at.y * Shape::height + i % Shape::height, z = at.z * Shape::depth + i / Shape::height;
    std::uint64_t set = 0, joined = 0;
    if (y < grid.height && z < grid.depth) {
      const auto word = grid.word(z, y, at.x);
      set = memory.planes[word];
      if constexpr (Shape::classes) joined = memory.planes[grid.words + word];
    }
    seen |= set;
    tile.set[0][i] = static_cast<std::uint32_t>(set);
    tile.set[1][i] = static_cast<std::uint32_t>(set >> 32);
    if constexpr (Shape::classes) {
      const auto heads = heads_of(set, joined);
      tile.heads[0][i] = static_cast<std::uint32_t>(heads);
      tile.heads[1][i] = static_cast<std::uint32_t>(heads >> 32);
    }
  }
  return seen != 0;
}

template <class Shape>
__device__ std::uint32_t half_plane(const tile_grid& grid, const label_memory& memory, int plane,
                                    std::uint32_t word, int half) {
  return reinterpret_cast<const std::uint32_t*>(
      memory.planes)[2 * (static_cast<std::uint64_t>(plane) * grid.words + word) + half];
}

/// Links across the middle of the word. Without classes, implied links are left out: where two rows touch on
/// both sides of the middle, only the earlier row is joined across it.
template <class Shape>
struct middle_links {
  bool before = false;             // to the pixel before, in the same row
  bool west[Shape::offsets] = {};  // to the last pixel of the left half
  bool east[Shape::offsets] = {};  // to the first pixel of the right half
};

template <class Shape>
__device__ void find_class_links(const tile_grid& grid, const label_memory& memory, const tile_place& at,
                                 half_row<Shape>& own, middle_links<Shape>& middle) {
  const int y = at.y * Shape::height + own.y, z = at.z * Shape::depth + own.z;
  if (y >= grid.height || z >= grid.depth) return;
  const auto word = grid.word(z, y, at.x);
  const auto plane = [&](int number) { return half_plane<Shape>(grid, memory, number, word, own.half); };
  own.joined = plane(run_plane);
  middle.before = own.half && (own.joined & 1);
#pragma unroll
  for (int o = 0; o < Shape::offsets; ++o) {
    if (!own.has(o)) continue;
    const int first = first_link_plane + 3 * o;
    const std::uint32_t same = plane(first), west = plane(first + 1), east = plane(first + 2);
    own.links[o] =
        links_between(own.heads, own.joined, own.tile.heads[own.half][own.row_at(o)], same, west, east);
    middle.west[o] = own.half && (west & ~same & 1);
    middle.east[o] = !own.half && (east & ~same) >> 31;
  }
}

template <class Shape>
__device__ void find_links(half_row<Shape>& own, middle_links<Shape>& middle) {
  const auto& tile = own.tile;
  const int half = own.half, other = 1 - half;
  const std::uint32_t edge = half ? 1u : 1u << 31, far = half ? 1u << 31 : 1u;  // beside the middle
  middle.before = half && (own.set & edge) && (tile.facing(other, own.y, own.z, 0, 0) & far);
#pragma unroll
  for (int o = 0; o < Shape::offsets; ++o) {
    if (!own.has(o)) continue;
    constexpr auto dy = [](int o) { return Shape::dy(o); };
    const int y = own.y + dy(o), z = own.z + Shape::dz(o);
    const std::uint32_t f = tile.facing(half, own.y, own.z, dy(o), Shape::dz(o)),
                        g = tile.facing(half, y, z, -dy(o), -Shape::dz(o)),
                        f_other = tile.facing(other, own.y, own.z, dy(o), Shape::dz(o)),
                        g_other = tile.facing(other, y, z, -dy(o), -Shape::dz(o));
    const std::uint32_t there = tile.facing(half, y, z, 0, 0);
    if (Shape::diagonal(o)) {
      own.links[o] = links_between<true>(own.set, f, there, g);
      const bool corner = (f & edge) && (g_other & far) && !(g & edge) && !(f_other & far);
      (half ? middle.west[o] : middle.east[o]) = corner;
    } else {
      own.links[o] = links_between<false>(own.set, f, there, g);
    }
    if ((f & g & edge) && (f_other & g_other & far)) middle.before = false;
  }
}

/// Every run starts as a root, or as the child of a run of an earlier row that it touches.
template <class Shape>
__device__ void plant(half_row<Shape>& own) {
  const auto forest = own.forest();
  const auto run_from = [&](int head) { return run_at<Shape>(own.set, own.heads, head); };
  const auto own_entry = [&](int head) { return own.entry(own.y, own.z, own.pixels, run_from(head), head); };
  int row, bit;                               // where a link leads to
  if constexpr (Shape::rows_of_thick == 1) {  // nodes are in raster order: they are their own keys
    own.for_each_run([&](int head) {
      const std::uint32_t node = own.node(own.row, own.half, head);
      const std::uint32_t up =
          own.take_link(run_from(head), row, bit) ? own.run_of(row, own.half, bit) : node;
      forest.set(node, up << 16 | up);
    });
  } else if constexpr (Shape::deep == 1) {  // in images, all keys of the row above are smaller
    own.for_each_run([&](int head) {
      const bool linked = own.take_link(run_from(head), row, bit);
      forest.set(own.node(own.row, own.half, head), linked ? own.entry_above(bit) : own_entry(head));
    });
  } else {
    own.for_each_run([&](int head) { forest.set(own.node(own.row, own.half, head), own_entry(head)); });
    __syncthreads();
    own.for_each_run([&](int head) {
      const auto kept = own.links[0];
      const std::uint32_t node = own.node(own.row, own.half, head);
      if (!own.take_link(run_from(head), row, bit)) return;
      const std::uint32_t up = forest[own.run_of(row, own.half, bit)];
      if (up < forest[node])
        forest.set(node, up);
      else
        own.links[0] = kept;  // keys of an earlier slice are smaller, but those of the same slice may not be
    });
  }
}

/// Each lane takes its links one after another in any direction, so that no lane waits for another's list.
template <class Shape>
__device__ void join(const half_row<Shape>& own, const middle_links<Shape>& middle) {
  const auto forest = own.forest();
#pragma unroll
  for (int o = 0; o < Shape::offsets; ++o) {
    const std::uint32_t west = own.links[o].west;
    std::uint32_t first = own.links[o].same | west, east = own.links[o].east;
    while (__any_sync(~0u, (first | east) != 0)) {
      if (!(first | east)) continue;
      const int bit = lowest(first ? first : east);
      const int there = bit + (first ? -static_cast<int>(west >> bit & 1) : 1);
      if (first)
        first &= first - 1;
      else
        east &= east - 1;
      forest.unite(own.own_run(bit), own.run_of(own.row_at(o), own.half, there));
    }
  }
  // Across the middle: bit 0 is the link to the row itself, bit o + 1 the link to the row at offset o.
  std::uint32_t rows = middle.before;
#pragma unroll
  for (int o = 0; o < Shape::offsets; ++o)
    rows |= static_cast<std::uint32_t>(middle.west[o] || middle.east[o]) << (o + 1);
  const int edge = own.half ? 0 : 31;
  for (; __any_sync(~0u, rows != 0); rows &= rows - 1)
    if (rows) {
      const int o = lowest(rows) - 1;
      forest.unite(own.own_run(edge), own.run_of(o < 0 ? own.row : own.row_at(o), 1 - own.half, 31 - edge));
    }
}

/// Roots are the parts. Writes their first pixels as bits and makes them roots of the image's forest.
template <class Shape>
__device__ void write_parts(const tile_grid& grid, const label_memory& memory, const tile_place& at,
                            const half_row<Shape>& own) {
  const auto forest = own.forest();
  std::uint32_t firsts[Shape::rows_of_thick] = {};
  const auto word_of = [&](int k) {
    return grid.word(at.z * Shape::depth + own.z * Shape::rows_z + k / Shape::rows_y,
                     at.y * Shape::height + own.y * Shape::rows_y + k % Shape::rows_y, at.x);
  };
  own.for_each_run([&](int head) {
    const std::uint32_t node = own.node(own.row, own.half, head);
    if (tile_forest::node_of(forest.shorten(node)) != node) return;
    int k;
    std::uint32_t pixel;
    own.first_of(run_at<Shape>(own.set, own.heads, head), k, pixel);
#pragma unroll
    for (int i = 0; i < Shape::rows_of_thick; ++i)
      if (i == k) firsts[i] |= pixel;
    const std::uint32_t id = word_of(k) * Shape::slots + own.node(0, own.half, lowest(pixel));
    memory.parent[id] = id;
  });
#pragma unroll
  for (int k = 0; k < Shape::rows_of_thick; ++k) {
    const int y = at.y * Shape::height + own.y * Shape::rows_y + k % Shape::rows_y,
              z = at.z * Shape::depth + own.z * Shape::rows_z + k / Shape::rows_y;
    if (y < grid.height && z < grid.depth)
      reinterpret_cast<std::uint32_t*>(memory.part_firsts)[2 * std::uint64_t{word_of(k)} + own.half] =
          firsts[k];
  }
}

template <class Shape>
__device__ void write_no_parts(const tile_grid& grid, const label_memory& memory, const tile_place& at) {
  for (int i = static_cast<int>(threadIdx.x); i < Shape::rows; i += inside_threads<Shape>) {
    const int y = at.y * Shape::height + i % Shape::height, z = at.z * Shape::depth + i / Shape::height;
    if (y < grid.height && z < grid.depth) memory.part_firsts[grid.word(z, y, at.x)] = 0;
  }
}

/// Eight slots per thread. Slots without a run are never used, so 32-byte sectors without runs are skipped.
/// Other sectors are written whole, because a partial write makes memory read the sector first.
template <class Shape>
__device__ void write_run_parts(const label_memory& memory, const tile_rows<Shape>& tile) {
  constexpr int groups = Shape::slots / 8, pixels = 8 << Shape::slot_shift, in_sector = 2 * pixels;
  const tile_forest forest{const_cast<std::uint32_t*>(tile.entries)};
  for (int i = static_cast<int>(threadIdx.x); i < Shape::thick_rows * groups; i += inside_threads<Shape>) {
    const int row = i / groups, group = i % groups, first = group * pixels;
    const std::uint32_t heads = tile.heads[first / 32][row] >> (first % 32 / in_sector * in_sector);
    if (!(heads & up_to<std::uint32_t>(in_sector - 1))) continue;
    std::uint32_t pairs[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const auto node = static_cast<std::uint32_t>(row * Shape::slots + group * 8 + 2 * j);
      pairs[j] = tile_forest::key_of(forest[node]) | tile_forest::key_of(forest[node + 1]) << 16;
    }
    reinterpret_cast<uint4*>(
        memory.run_part)[(std::uint64_t{blockIdx.x} * Shape::thick_rows + row) * groups + group] =
        make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
  }
}

/// Joins the runs of a loaded tile. All threads of the block take part.
template <class Shape>
__device__ void join_rows(const tile_grid& grid, const label_memory& memory, const tile_place& at,
                          tile_rows<Shape>& tile) {
  const int t = static_cast<int>(threadIdx.x);
  half_row<Shape> own(tile, t % Shape::thick_rows, t / Shape::thick_rows);
#pragma unroll
  for (int k = 0; k < Shape::rows_of_thick; ++k) {
    own.pixels[k] = tile.pixel_row(own.half, own.y, own.z, k);
    own.set |= own.pixels[k];
  }
  middle_links<Shape> middle;
  if constexpr (Shape::classes) {
    own.heads = tile.heads[own.half][own.row];
    find_class_links(grid, memory, at, own, middle);
  } else {
    own.heads = heads_of(own.set);
    tile.heads[own.half][own.row] = own.heads;
    find_links(own, middle);
    __syncthreads();
  }
  plant(own);
  __syncthreads();
  own.for_each_run([&](int head) { own.forest().shorten(own.node(own.row, own.half, head)); });
  __syncthreads();
  join(own, middle);
  __syncthreads();
  write_parts(grid, memory, at, own);
  __syncthreads();
  write_run_parts(memory, tile);
}

template <class Shape>
__global__ __launch_bounds__(inside_threads<Shape>) void join_inside_tiles(tile_grid grid,
                                                                           label_memory memory) {
  __shared__ tile_rows<Shape> tile;
  follow();
  if (blockIdx.x == 0 && threadIdx.x == 0) *memory.sections_done = 0;
  const tile_place at(grid, blockIdx.x);
  if (!__syncthreads_or(load_rows(grid, memory, at, tile))) return write_no_parts<Shape>(grid, memory, at);
  join_rows(grid, memory, at, tile);
}

}  // namespace macareu::cuda::labels
