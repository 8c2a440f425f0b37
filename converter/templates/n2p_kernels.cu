// Apart from the names of the rule's file.
namespace kernels {

/// A thread computes this many pixels side by side, of this many rows below each other: what their windows see stays in
/// its registers. More of them share more of what is read; too many do not fit.
constexpr int across = @ACROSS@, down = @DOWN@;
constexpr int left = rule::window_width / 2, above = rule::window_height / 2, before = rule::window_depth / 2;
constexpr int seen_width = across + rule::window_width - 1, seen_height = down + rule::window_height - 1;
constexpr int seen_pixels = rule::window_depth * seen_height * seen_width;
constexpr bool in_registers = seen_pixels <= 300;

/// Pixels side by side, read or written at once where that is possible.
template <class Value>
constexpr bool at_once = (across * sizeof(Value) & (across * sizeof(Value) - 1)) == 0 && across * sizeof(Value) <= 16;
template <class Value>
struct alignas(at_once<Value> ? across * sizeof(Value) : alignof(Value)) pack {
  Value at[across];
};

/// Bytes are read as words, which are taken apart where a pixel is needed: that saves registers.
template <class Value>
__device__ static pack<Value> load(const Value* first) {
  if constexpr (at_once<Value> && sizeof(pack<Value>) % sizeof(unsigned) == 0) {
    struct alignas(sizeof(pack<Value>)) words {
      unsigned at[sizeof(pack<Value>) / sizeof(unsigned)];
    };
    const auto loaded = *reinterpret_cast<const words*>(first);
    pack<Value> values;
    memcpy(&values, &loaded, sizeof values);
    return values;
  } else {
    return *reinterpret_cast<const pack<Value>*>(first);
  }
}

/// The pixels of one thread from x, y, z on, where all that their windows see is inside the image. Rows are aligned
/// where their width is a multiple of what a thread computes.
template <bool aligned>
__device__ static void compute_inside(const rule::pixel_type* image, rule::result_type* result,
                                      const rule::extent& size, long long x, long long y, long long z,
                                      const rule::parameters& given) {
  rule::pixel_type seen[rule::window_depth][seen_height][seen_width];
#pragma unroll
  for (int c = 0; c < rule::window_depth; ++c)
#pragma unroll
    for (int b = 0; b < seen_height; ++b) {
      const auto row = image + ((z + c - before) * size.height + y + b - above) * size.width + x;
      pack<rule::pixel_type> middle;
      if constexpr (aligned)
        middle = load(row);
      else
#pragma unroll
        for (int a = 0; a < across; ++a) middle.at[a] = row[a];
#pragma unroll
      for (int a = 0; a < seen_width; ++a)
        seen[c][b][a] = a < left || a >= left + across ? row[a - left] : middle.at[a - left];
    }
#pragma unroll
  for (int j = 0; j < down; ++j) {
    pack<rule::result_type> out;
#pragma unroll
    for (int i = 0; i < across; ++i) {
      rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
#pragma unroll
      for (int c = 0; c < rule::window_depth; ++c)
#pragma unroll
        for (int b = 0; b < rule::window_height; ++b)
#pragma unroll
          for (int a = 0; a < rule::window_width; ++a) window[c][b][a] = seen[c][j + b][i + a];
      out.at[i] = rule::apply(window, static_cast<int>(x + i), static_cast<int>(y + j), static_cast<int>(z), given);
    }
    const auto row = result + (z * size.height + y + j) * size.width + x;
    if constexpr (aligned)
      *reinterpret_cast<pack<rule::result_type>*>(row) = out;
    else
#pragma unroll
      for (int i = 0; i < across; ++i) row[i] = out.at[i];
  }
}

/// A pixel that may lie outside the image.
__device__ static rule::pixel_type pixel_at(const rule::pixel_type* image, const rule::extent& size, long long x,
                                            long long y, long long z) {
  const auto i = rule::inside(x, size.width), j = rule::inside(y, size.height), k = rule::inside(z, size.depth);
  return i < 0 || j < 0 || k < 0 ? rule::pixel_type{} : image[(k * size.height + j) * size.width + i];
}

/// One pixel anywhere, or one whose window is inside the image.
__device__ static rule::result_type compute_pixel(const rule::pixel_type* image, const rule::extent& size, long long x,
                                                  long long y, long long z, bool inside,
                                                  const rule::parameters& given) {
  rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
  for (int c = 0; c < rule::window_depth; ++c)
    for (int b = 0; b < rule::window_height; ++b) {
      const auto row = image + ((z + c - before) * size.height + y + b - above) * size.width + x - left;
      if (inside)
        for (int a = 0; a < rule::window_width; ++a) window[c][b][a] = row[a];
      else
        for (int a = 0; a < rule::window_width; ++a)
          window[c][b][a] = pixel_at(image, size, x + a - left, y + b - above, z + c - before);
    }
  return rule::apply(window, static_cast<int>(x), static_cast<int>(y), static_cast<int>(z), given);
}

/// Small windows leave registers for four blocks at once.
extern "C" __global__ void __launch_bounds__(256, seen_pixels <= 64 ? 4 : 1)
    n2p_kernel(const rule::pixel_type* image, rule::result_type* result, rule::extent size, rule::parameters given) {
  const long long x = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * across;
  const long long first = (static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y) * down;
  const long long step = static_cast<long long>(gridDim.y) * blockDim.y * down;
  for (long long z = blockIdx.z; z < size.depth; z += gridDim.z)
    for (long long y = first; y < size.height; y += step) {
      const bool inside = x >= left && x - left + seen_width <= size.width && y >= above &&
                          y - above + seen_height <= size.height && z >= before &&
                          z - before + rule::window_depth <= size.depth;
      if (in_registers && inside && size.width % across == 0) {
        compute_inside<true>(image, result, size, x, y, z, given);
      } else if (in_registers && inside) {
        compute_inside<false>(image, result, size, x, y, z, given);
      } else {
#pragma unroll 1
        for (long long j = y; j < y + down && j < size.height; ++j)
#pragma unroll 1
          for (long long i = x; i < x + across && i < size.width; ++i)
            result[(z * size.height + j) * size.width + i] = compute_pixel(image, size, i, j, z, inside, given);
      }
    }
}

}  // namespace kernels
