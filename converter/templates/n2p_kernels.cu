/// A block computes 128 x 8 pixels of one slice, each thread 4 of a row. What their windows see is brought to shared
/// memory once, where it fits; windows too large for that are read from the image.
constexpr int per_thread = 4;
constexpr int tile_width = 32 * per_thread, tile_height = 8;
constexpr int staged_width = tile_width + rule::window_width - 1;
constexpr int staged_height = tile_height + rule::window_height - 1;
constexpr bool staged = sizeof(rule::pixel_type) * rule::window_depth * staged_height * staged_width <= 40 * 1024;

__device__ static rule::pixel_type pixel_at(const rule::pixel_type* image, const rule::extent& size, long long x,
                                            long long y, long long z) {
  const auto i = rule::inside(x, size.width), j = rule::inside(y, size.height), k = rule::inside(z, size.depth);
  return i < 0 || j < 0 || k < 0 ? rule::pixel_type{} : image[(k * size.height + j) * size.width + i];
}

extern "C" __global__ void n2p_kernel(const rule::pixel_type* image, rule::result_type* result, rule::extent size,
                                      rule::parameters given) {
  constexpr int left = rule::window_width / 2, half = rule::window_height / 2, up = rule::window_depth / 2;
  const long long tile_x = static_cast<long long>(blockIdx.x) * tile_width;
  const long long tiles_y = (size.height + tile_height - 1) / tile_height;
  for (long long tile = blockIdx.y; tile < tiles_y * size.depth; tile += gridDim.y) {
    const long long tile_y = tile % tiles_y * tile_height, z = tile / tiles_y;
    __shared__ rule::pixel_type near[staged ? rule::window_depth : 1][staged ? staged_height : 1]
                                    [staged ? staged_width : 1];
    if constexpr (staged) {
      __syncthreads();  // the tile before this one has been read
      for (int c = 0; c < rule::window_depth; ++c)
        for (int j = threadIdx.y; j < staged_height; j += blockDim.y)
          for (int i = threadIdx.x; i < staged_width; i += blockDim.x)
            if (tile_x + i - left < size.width + left && tile_y + j - half < size.height + half)
              near[c][j][i] = pixel_at(image, size, tile_x + i - left, tile_y + j - half, z + c - up);
      __syncthreads();
    }
    const long long y = tile_y + threadIdx.y;
#pragma unroll
    for (int n = 0; n < per_thread; ++n) {
      const int column = threadIdx.x * per_thread + n;
      const long long x = tile_x + column;
      if (y >= size.height || x >= size.width) break;
      rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
      for (int c = 0; c < rule::window_depth; ++c)
        for (int b = 0; b < rule::window_height; ++b)
          for (int a = 0; a < rule::window_width; ++a)
            if constexpr (staged)
              window[c][b][a] = near[c][threadIdx.y + b][column + a];
            else
              window[c][b][a] = pixel_at(image, size, x + a - left, y + b - half, z + c - up);
      result[(z * size.height + y) * size.width + x] =
          rule::apply(window, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), given);
    }
  }
}
