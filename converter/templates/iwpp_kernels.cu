// Tiled wave propagation, after Oliveira et al. (2025). A warp takes a tile from a queue and loads it with
// its rim into shared memory. It sweeps until the tile is stable, writes it back, and wakes the neighbours
// that can improve.
//
// A mark holds the state of a tile: idle, waiting, running, or running and woken again. Only the wake that
// finds a tile idle enqueues it, so a tile is in the queue at most once.
//
// No update is lost. A visit marks its tile running, fences, then reads. It writes only its own pixels,
// fences, then wakes. A wake before the mark: the visit sees the new pixels. A wake after it: the tile is
// visited again. Reading a rim races with its writer, so single pixels may be stale. States only improve, so
// the worst case is a spurious wake.
//
// Contents: the queue; a tile in shared memory (load, settle, store, tile_to_wake); the kernels.
namespace kernels {

constexpr int idle = 0, waiting = 1, running = 2;
constexpr int no_tile = -1;  // marks an empty slot
constexpr unsigned all_lanes = ~0U;

/// The next tile, for all lanes; `no_tile` when all work is done. A ticket selects the slot: a consumer waits
/// until it is full, a producer until it is empty. There are slots for all tiles and warps together. So the
/// holder of its ticket is about to empty a slot that is still full.
__device__ inline int next_tile(const tile_queue& queue) {
  int tile = no_tile;
  if (threadIdx.x == 0) {
    int* const slot = queue.ring + (atomicAdd(queue.taken, 1ULL) & (queue.slots - 1));
    const volatile int* const seen = slot;
    const volatile unsigned long long* const done = queue.done + blockIdx.x % lanes * tile_queue::apart;
    tile = atomicExch(slot, no_tile);
    while (tile == no_tile && *done == 0)
      if (*seen != no_tile) tile = atomicExch(slot, no_tile);
    if (tile != no_tile) atomicExch(queue.marks + tile, running);
    __threadfence();
  }
  tile = __shfl_sync(all_lanes, tile, 0);
  __syncwarp();
  return tile;
}

__device__ inline void put_in_queue(const tile_queue& queue, int tile) {
  int* const slot = queue.ring + (atomicAdd(queue.put, 1ULL) & (queue.slots - 1));
  while (atomicCAS(slot, no_tile, tile) != no_tile) {
  }
}

/// The end of a visit: each lane with a tile wakes it. All are counted as open before the first can be taken.
/// Those that were not enqueued are subtracted with the visit itself. The warp that reaches 0 signals the
/// end.
__device__ inline void finish(const tile_queue& queue, int visited, int woken) {
  const int announced = __popc(__ballot_sync(all_lanes, woken != no_tile));
  if (threadIdx.x == 0 && announced > 0) atomicAdd(queue.open, static_cast<unsigned long long>(announced));
  __syncwarp();
  __threadfence();
  const bool puts = woken != no_tile && atomicOr(queue.marks + woken, waiting) == idle;
  if (puts) put_in_queue(queue, woken);
  unsigned long long closed = announced - __popc(__ballot_sync(all_lanes, puts));
  bool last = false;
  if (threadIdx.x == 0) {
    if ((atomicAnd(queue.marks + visited, ~running) & waiting) != 0)
      put_in_queue(queue, visited);
    else
      ++closed;
    last = closed > 0 && atomicAdd(queue.open, 0 - closed) == closed;
  }
  if (__any_sync(all_lanes, last)) atomicExch(queue.done + threadIdx.x * tile_queue::apart, 1ULL);
}

/// Position of a pixel in a tile, rim included.
struct spot {
  int z, y, x;
};

/// Positions along an axis of a tile.
struct range {
  int first, last;
  __device__ int size() const { return last + 1 - first; }
  __device__ bool has(int i) const { return i >= first && i <= last; }
};

/// A tile and its rim in shared memory, for one warp.
template <class Shape>
class staged_tile {
 public:
  __device__ staged_tile(const rule::extent& size, const tiling& tiles, int reach,
                         const rule::parameters& given, void* memory, int number)
      : size_(size),
        tiles_(tiles),
        given_(given),
        states_(static_cast<rule::pixel_type*>(memory)),
        limits_(reinterpret_cast<rule::capacity_type*>(static_cast<char*>(memory) + limits_at)),
        reach_(reach),
        number_(number),
        lane_(static_cast<int>(threadIdx.x)),
        z_(static_cast<long long>(number / tiles.x / tiles.y) * Shape::depth - Shape::rim_z),
        y_(static_cast<long long>(number / tiles.x % tiles.y) * Shape::height - 1),
        x_(static_cast<long long>(number % tiles.x) * Shape::width - 1),
        slices_(inside(z_, size.depth, Shape::slices)),
        rows_(inside(y_, size.height, Shape::slice_rows)),
        columns_(inside(x_, size.width, Shape::columns)),
        whole_(slices_.size() == Shape::slices && rows_.size() == Shape::slice_rows &&
               columns_.size() == Shape::columns) {}

  /// Each lane keeps many loads in flight, so a warp waits for memory three times in images, not once per
  /// row. In volumes, fewer registers matter more.
  __device__ void load(const rule::pixel_type* state, const rule::capacity_type* capacity) const {
    constexpr int at_once = Shape::depth > 1 ? 8 : 13, pixels = Shape::rows * Shape::columns;
    for (int first = lane_; first < pixels; first += lanes * at_once) {
      rule::pixel_type states[at_once]{};
      rule::capacity_type limits[at_once]{};
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        const spot at = spot_of(first + lanes * k);
        if (first + lanes * k >= pixels || !there(at)) continue;
        states[k] = read(state + place(at));
        limits[k] = capacity[place(at)];
      }
#pragma unroll
      for (int k = 0; k < at_once; ++k) {
        if (first + lanes * k >= pixels) continue;
        states_[cell(spot_of(first + lanes * k))] = states[k];
        limits_[cell(spot_of(first + lanes * k))] = limits[k];
      }
    }
    __syncwarp();
  }

  /// Sweeps in all directions in turn until a whole round changes nothing. The last sweep that changed
  /// something is not repeated. Returns whether anything changed.
  __device__ bool settle() const {
    const int turns = reach_ == 1 ? 2 * rank : 4;
    bool ever = false;
    for (int turn = 0, quiet = 0; quiet < turns; turn = turn + 1 < turns ? turn + 1 : 0) {
      const int direction = turn < turns / 2 ? 1 : -1;
      const int axis = turn % (turns / 2);
      const bool moved = axis == 0    ? sweep_along_rows(direction)
                         : reach_ > 1 ? sweep_row_by_row(direction)
                         : axis == 1  ? sweep_along_columns(direction)
                                      : sweep_along_slices(direction);
      const bool any = __any_sync(all_lanes, moved) != 0;
      __syncwarp();
      ever = ever || any;
      quiet = any ? 1 : quiet + 1;
    }
    return ever;
  }

  __device__ void store(rule::pixel_type* state) const {
#pragma unroll 4
    for (int k = 0; k < lanes; ++k) {
      const spot at = own_spot(k, lane_);
      if (!there(at)) continue;
      volatile rule::pixel_type* const pixel = state + place(at);
      *pixel = states_[cell(at)];
    }
  }

  /// For each lane, a neighbouring tile that can improve, or `no_tile`.
  __device__ int tile_to_wake() const {
    unsigned sides = 0;  // one bit per neighbour in 3 x 3 x 3
    for (int z = 0; z < Shape::slices; ++z)
      for (int y = 0; y < Shape::slice_rows; ++y)
        if (!owns_row(z, y)) add_side({z, y, lane_ + 1}, sides);
    for (int row = lane_; row < Shape::rows; row += lanes)
      for (int x = 0; x < Shape::columns; x += Shape::width + 1)
        add_side({row / Shape::slice_rows, row % Shape::slice_rows, x}, sides);
    for (int other = lanes / 2; other > 0; other /= 2) sides |= __shfl_xor_sync(all_lanes, sides, other);
    if ((sides >> lane_ & 1) == 0) return no_tile;
    return number_ + ((lane_ / 9 - 1) * tiles_.y + lane_ / 3 % 3 - 1) * tiles_.x + lane_ % 3 - 1;
  }

 private:
  static constexpr int rank = Shape::depth > 1 ? 3 : 2;
  static constexpr int pitch = row_pitch(sizeof(rule::pixel_type));
  static constexpr int limits_at = states_bytes(Shape::rows, sizeof(rule::pixel_type));

  /// The positions from `origin` on, out of `count`, that are inside the image.
  __device__ static range inside(long long origin, long long size, int count) {
    const long long end = size - origin;
    return {origin < 0 ? static_cast<int>(-origin) : 0, end < count ? static_cast<int>(end) - 1 : count - 1};
  }
  __device__ static rule::pixel_type read(const rule::pixel_type* pixel) {
    return *const_cast<const volatile rule::pixel_type*>(pixel);  // volatile: other warps may write it
  }
  __device__ static spot spot_of(int i) {
    const int row = i / Shape::columns;
    return {row / Shape::slice_rows, row % Shape::slice_rows, i % Shape::columns};
  }
  /// Column x of the tile's own row k, without the rim.
  __device__ static spot own_spot(int k, int x) {
    return {k / Shape::height + Shape::rim_z, k % Shape::height + 1, x + 1};
  }
  __device__ static bool owns_row(int z, int y) {
    return z >= Shape::rim_z && z < Shape::rim_z + Shape::depth && y >= 1 && y <= Shape::height;
  }
  __device__ static int cell(const spot& at) { return (at.z * Shape::slice_rows + at.y) * pitch + at.x; }

  __device__ bool there(const spot& at) const {
    return whole_ || (slices_.has(at.z) && rows_.has(at.y) && columns_.has(at.x));
  }
  __device__ bool near(const spot& a, const spot& b) const {
    return (a.z != b.z) + (a.y != b.y) + (a.x != b.x) <= reach_;
  }
  __device__ long long place(const spot& at) const {
    return ((z_ + at.z) * size_.height + y_ + at.y) * size_.width + x_ + at.x;
  }

  /// Improves `held` by the offer of a neighbour in `state`. Returns whether it changed.
  __device__ bool take(rule::pixel_type& held, rule::pixel_type state, rule::capacity_type limit) const {
    const auto offered = rule::offer(state, limit, given_);
    const bool better = rule::better(offered, held, given_);
    held = better ? offered : held;
    return better;
  }

  __device__ bool sweep_along_rows(int direction) const {
    const spot at = own_spot(lane_, -1);
    return slices_.has(at.z) && rows_.has(at.y) && follow<Shape::width>(cell(at), 1, columns_, direction);
  }
  __device__ bool sweep_along_columns(int direction) const {
    bool ever = false;
    for (int z = Shape::rim_z; z < Shape::rim_z + Shape::depth; ++z)
      if (slices_.has(z) && columns_.has(lane_ + 1))
        ever |= follow<Shape::height>(cell({z, 0, lane_ + 1}), pitch, rows_, direction);
    return ever;
  }
  __device__ bool sweep_along_slices(int direction) const {
    bool ever = false;
    for (int y = 1; y <= Shape::height; ++y)
      if (rows_.has(y) && columns_.has(lane_ + 1))
        ever |= follow<Shape::depth>(cell({0, y, lane_ + 1}), pitch * Shape::slice_rows, slices_, direction);
    return ever;
  }

  /// Propagates along a line of the tile, whose own pixels are 1 to `Own`. It starts at the rim where that is
  /// inside the image.
  template <int Own>
  __device__ bool follow(int line, int step, const range& image, int direction) const {
    constexpr int at_once = Own < 8 ? Own : 8;
    const int begin = direction > 0 ? image.first : image.last;
    const int end = direction > 0 ? min(image.last, Own) : max(image.first, 1);
    int left = (end - begin) * direction, at = line + begin * step;
    step *= direction;
    auto state = states_[at];
    bool ever = false;
    for (; left >= at_once; left -= at_once, at += at_once * step) ever |= advance<at_once>(state, at, step);
    for (; left > 0; --left, at += step) ever |= advance<1>(state, at, step);
    return ever;
  }

  /// Reads all, then writes all if anything changed: only the chain of states is sequential.
  template <int Count>
  __device__ bool advance(rule::pixel_type& state, int at, int step) const {
    rule::pixel_type held[Count];
    rule::capacity_type limit[Count];
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      held[k] = states_[at + (k + 1) * step];
      limit[k] = limits_[at + (k + 1) * step];
    }
    bool moved = false;
#pragma unroll
    for (int k = 0; k < Count; ++k) {
      moved |= take(held[k], state, limit[k]);
      state = held[k];
    }
    if (!moved) return false;
#pragma unroll
    for (int k = 0; k < Count; ++k) states_[at + (k + 1) * step] = held[k];
    return true;
  }

  /// Every row takes from its neighbours in rows swept before it. Each lane handles a column.
  __device__ bool sweep_row_by_row(int direction) const {
    bool ever = false;
    for (int k = 0; k < lanes; ++k) {
      const spot at = own_spot(direction > 0 ? k : lanes - 1 - k, lane_);
      if (there(at))
        ever |= whole_ ? take_from_before<true>(at, direction) : take_from_before<false>(at, direction);
      __syncwarp();
    }
    return ever;
  }

  template <bool Whole>
  __device__ bool take_from_before(const spot& at, int direction) const {
    const auto limit = limits_[cell(at)];
    auto held = states_[cell(at)];
    bool moved = false;
#pragma unroll
    for (int z = -Shape::rim_z; z <= 0; ++z)
#pragma unroll
      for (int y = -1; y <= (z < 0 ? 1 : -1); ++y)
#pragma unroll
        for (int x = -1; x <= 1; ++x) {
          const spot other{at.z + z * direction, at.y + y * direction, at.x + x * direction};
          if (near(at, other) && (Whole || there(other))) moved |= take(held, states_[cell(other)], limit);
        }
    if (moved) states_[cell(at)] = held;
    return moved;
  }

  /// Sets the bit of the neighbouring tile that holds this rim pixel, if the pixel can improve.
  __device__ void add_side(const spot& at, unsigned& sides) const {
    const auto side_of = [](int i, int rim, int size) { return i < rim ? 0 : i < rim + size ? 1 : 2; };
    const unsigned side = 1U << (9 * side_of(at.z, Shape::rim_z, Shape::depth) +
                                 3 * side_of(at.y, 1, Shape::height) + side_of(at.x, 1, Shape::width));
    if ((sides & side) != 0 || !there(at)) return;
    const auto limit = limits_[cell(at)];
    auto held = states_[cell(at)];
    for (int z = max(at.z - 1, Shape::rim_z); z <= min(at.z + 1, Shape::rim_z + Shape::depth - 1); ++z)
      for (int y = max(at.y - 1, 1); y <= min(at.y + 1, Shape::height); ++y)
        for (int x = max(at.x - 1, 1); x <= min(at.x + 1, Shape::width); ++x) {
          const spot own{z, y, x};
          if (near(at, own) && there(own) && take(held, states_[cell(own)], limit)) sides |= side;
        }
  }

  const rule::extent& size_;
  const tiling& tiles_;
  const rule::parameters& given_;
  rule::pixel_type* states_;
  rule::capacity_type* limits_;
  int reach_, number_, lane_;
  long long z_, y_, x_;            // the rim's first pixel, in image coordinates
  range slices_, rows_, columns_;  // part inside the image
  bool whole_;                     // the whole tile, with its rim, is inside
};

template <class Shape>
__device__ void visit_tiles(rule::pixel_type* state, const rule::capacity_type* capacity,
                            const rule::extent& size, const tiling& tiles, int reach, const tile_queue& queue,
                            const rule::parameters& given) {
  extern __shared__ double memory[];
  for (int number = next_tile(queue); number != no_tile; number = next_tile(queue)) {
    const staged_tile<Shape> tile(size, tiles, reach, given, memory, number);
    tile.load(state, capacity);
    int woken = no_tile;
    if (tile.settle()) {
      tile.store(state);
      woken = tile.tile_to_wake();
    }
    finish(queue, number, woken);
  }
}

/// Puts all tiles in the queue.
extern "C" __global__ void iwpp_begin(tile_queue queue, long long tiles) {
  const long long threads = static_cast<long long>(gridDim.x) * blockDim.x;
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (long long i = thread; i < static_cast<long long>(queue.slots); i += threads) {
    queue.ring[i] = i < tiles ? static_cast<int>(i) : no_tile;
    if (i < tiles) queue.marks[i] = waiting;
  }
  if (blockIdx.x != 0) return;
  queue.done[threadIdx.x * tile_queue::apart] = 0;
  if (threadIdx.x != 0) return;
  *queue.taken = 0;
  *queue.put = *queue.open = static_cast<unsigned long long>(tiles);
}

extern "C" __global__ void __launch_bounds__(iwpp_launch::threads)
    iwpp_kernel(rule::pixel_type* state, const rule::capacity_type* capacity, rule::extent size, tiling tiles,
                int reach, tile_queue queue, rule::parameters given) {
  if (size.depth == 1)
    visit_tiles<flat_tile>(state, capacity, size, tiles, reach, queue, given);
  else
    visit_tiles<deep_tile>(state, capacity, size, tiles, reach, queue, given);
}

}  // namespace kernels
