constexpr int most_staged = 34 * 34 * 3;  // a tile of 32 x 32, or of 4 x 8 x 32, and its rim

/// Settles the tiles of one colour: no two of them touch, so nothing that a block reads is written meanwhile.
/// Inside a tile all pixels look at their neighbours at once, again and again until none has a better offer.
/// A tile that has changed wakes its neighbours.
extern "C" __global__ void iwpp_kernel(rule::pixel_type* state, const rule::capacity_type* capacity,
                                       tiling cut, rule::neighbourhood around, int colour, int* awake,
                                       int* any, rule::parameters given) {
  const int tx = 2 * blockIdx.x + (colour & 1), ty = 2 * blockIdx.y + (colour >> 1 & 1),
            tz = 2 * blockIdx.z + (colour >> 2 & 1);
  if (tx >= cut.tiles_x || ty >= cut.tiles_y || tz >= cut.tiles_z) return;
  const int tile = (tz * cut.tiles_y + ty) * cut.tiles_x + tx;
  if (awake[tile] == 0) return;
  __syncthreads();  // all have seen it

  __shared__ rule::pixel_type near[most_staged];
  __shared__ bool there[most_staged];  // whether the place is in the image
  const int row = cut.tile_x + 2, slice = row * (cut.tile_y + 2), staged = slice * (cut.tile_z + 2);
  const int own_thread = (threadIdx.z * cut.tile_y + threadIdx.y) * cut.tile_x + threadIdx.x;
  const long long x0 = static_cast<long long>(tx) * cut.tile_x - 1,
                  y0 = static_cast<long long>(ty) * cut.tile_y - 1,
                  z0 = static_cast<long long>(tz) * cut.tile_z - 1;
  for (int i = own_thread; i < staged; i += cut.tile_x * cut.tile_y * cut.tile_z) {
    const long long x = x0 + i % row, y = y0 + i / row % (cut.tile_y + 2), z = z0 + i / slice;
    there[i] = x >= 0 && y >= 0 && z >= 0 && x < cut.size.width && y < cut.size.height && z < cut.size.depth;
    if (there[i]) near[i] = state[(z * cut.size.height + y) * cut.size.width + x];
  }
  if (own_thread == 0) awake[tile] = 0;
  __syncthreads();

  const int own = (threadIdx.z + 1) * slice + (threadIdx.y + 1) * row + threadIdx.x + 1;
  const long long place = ((z0 + 1 + threadIdx.z) * cut.size.height + y0 + 1 + threadIdx.y) * cut.size.width +
                          x0 + 1 + threadIdx.x;
  const bool mine = there[own];
  rule::pixel_type best{};
  rule::capacity_type limit{};
  if (mine) {
    best = near[own];
    limit = capacity[place];
  }
  bool ever = false;
  for (bool going = true; going;) {
    bool changed = false;
    for (int n = 0; mine && n < around.count; ++n) {
      const int other = own + around.steps[n].z * slice + around.steps[n].y * row + around.steps[n].x;
      if (!there[other]) continue;
      const auto offered = rule::offer(near[other], limit, given);
      if (!rule::better(offered, best, given)) continue;
      best = offered;
      changed = true;
    }
    __syncthreads();
    if (changed) near[own] = best;
    ever = ever || changed;
    going = __syncthreads_or(changed) != 0;
  }
  if (ever) state[place] = best;
  if (__syncthreads_or(ever) == 0 || own_thread >= 27) return;
  const int nx = tx + own_thread % 3 - 1, ny = ty + own_thread / 3 % 3 - 1, nz = tz + own_thread / 9 - 1;
  if (nx < 0 || ny < 0 || nz < 0 || nx >= cut.tiles_x || ny >= cut.tiles_y || nz >= cut.tiles_z) return;
  if (own_thread != 13) atomicExch(&awake[(nz * cut.tiles_y + ny) * cut.tiles_x + nx], 1);
  atomicExch(any, 1);
}
