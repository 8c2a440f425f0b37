constexpr int lanes = 32;  // of a warp, which works on one tile at a time

/// A tile has one row of pixels per lane: 32 x 32 pixels in images, 4 x 8 x 32 in volumes. A rim of one pixel
/// surrounds it, in volumes along z too.
template <int Depth, int Height>
struct tile_shape {
  static_assert(Depth * Height == lanes, "a row for every lane");
  static constexpr int depth = Depth, height = Height, width = lanes;
  static constexpr int rim_z = Depth > 1 ? 1 : 0;
  static constexpr int slices = Depth + 2 * rim_z, slice_rows = Height + 2, columns = width + 2;
  static constexpr int rows = slices * slice_rows;
};
using flat_tile = tile_shape<1, 32>;
using deep_tile = tile_shape<4, 8>;

/// Number of tiles along each axis.
struct tiling {
  int z, y, x;
};

/// Queue of tiles that wait for a visit, in GPU memory.
struct tile_queue {
  static constexpr int apart = 16;  // stride of counters: each has its own cache line
  unsigned long long *taken, *put;  // tickets
  unsigned long long* open;         // tiles that are waiting or running
  unsigned long long* done;         // one flag per lane, to spread the polling
  int *marks, *ring;
  unsigned long long slots;  // of the ring: a power of two
};

/// Launch configuration, one warp per block, and the memory of the kernels.
struct iwpp_launch {
  static constexpr int threads = lanes, counters = 3 + lanes;
  static constexpr long long most_tiles = 0x7fffffff;  // tile numbers are int
  tiling tiles;
  long long count;  // of all tiles
  unsigned blocks, shared_bytes;
  long long slots, queue_bytes;

  tile_queue queue_in(void* memory) const {
    auto* const first = static_cast<unsigned long long*>(memory);
    auto* const marks = reinterpret_cast<int*>(first + counters * tile_queue::apart);
    return {first,
            first + tile_queue::apart,
            first + 2 * tile_queue::apart,
            first + 3 * tile_queue::apart,
            marks,
            marks + count,
            static_cast<unsigned long long>(slots)};
  }
};

/// Row pitch in shared memory, in elements. The states of a column lie in different banks.
constexpr int row_pitch(int pixel_bytes) { return pixel_bytes == 1 ? 36 : pixel_bytes == 2 ? 34 : 35; }

/// Bytes of a tile's states in shared memory. Capacities follow them.
constexpr int states_bytes(int rows, int pixel_bytes) {
  return (rows * row_pitch(pixel_bytes) * pixel_bytes + 7) / 8 * 8;
}

inline iwpp_launch launch_of(const rule::extent& size, int pixel_bytes, int capacity_bytes) {
  constexpr long long most_blocks = 8192;  // more than a GPU runs at once; late blocks find no work
  const auto parts = [](long long pixels, int tile) { return static_cast<int>((pixels + tile - 1) / tile); };
  const bool flat = size.depth == 1;
  const int rows = flat ? flat_tile::rows : deep_tile::rows;
  iwpp_launch launch{};
  launch.tiles = {parts(size.depth, flat ? flat_tile::depth : deep_tile::depth),
                  parts(size.height, flat ? flat_tile::height : deep_tile::height),
                  parts(size.width, flat_tile::width)};
  launch.count = static_cast<long long>(launch.tiles.z) * launch.tiles.y * launch.tiles.x;
  launch.blocks = static_cast<unsigned>(launch.count < most_blocks ? launch.count : most_blocks);
  launch.shared_bytes =
      static_cast<unsigned>(states_bytes(rows, pixel_bytes) + rows * row_pitch(pixel_bytes) * capacity_bytes);
  launch.slots = 1;
  while (launch.slots < launch.count + launch.blocks) launch.slots *= 2;
  launch.queue_bytes = 8LL * iwpp_launch::counters * tile_queue::apart + 4 * (launch.count + launch.slots);
  return launch;
}

