// A namespace of its own avoids clashes with names of the rule.
namespace kernels {

/// A thread computes a strip of this many columns, this many rows per step, and keeps the windows in
/// registers. Larger strips reuse more loads but need more registers.
constexpr int across = @ACROSS@, down = @DOWN@;
/// Most steps of a thread in a large image. More steps reuse more loads but leave fewer threads.
constexpr long long most_steps = @STEPS@;
constexpr int left = rule::window_width / 2, right = rule::window_width - 1 - left;
constexpr int above = rule::window_height / 2, below = rule::window_height - 1 - above;
constexpr int before = rule::window_depth / 2, behind = rule::window_depth - 1 - before;
constexpr int seen_width = across + left + right, seen_height = down + above + below;
constexpr int seen_pixels = rule::window_depth * seen_height * seen_width;
constexpr bool in_registers = seen_pixels <= 300;
/// Estimated registers of the windows: pixels of a strip share words, those beside it take at least one each.
/// Low register use raises occupancy.
constexpr int words(int pixels) { return (pixels * static_cast<int>(sizeof(rule::pixel_type)) + 3) / 4; }
constexpr int seen_words = rule::window_depth * seen_height * (words(across) + (left + right) * words(1));

/// Adjacent pixels, loaded or stored as one vector if the size allows. may_alias, because the memory holds
/// single values.
template <class Value>
constexpr bool at_once =
    (across * sizeof(Value) & (across * sizeof(Value) - 1)) == 0 && across * sizeof(Value) <= 16;
template <class Value>
struct [[gnu::may_alias]] alignas(at_once<Value> ? across * sizeof(Value) : alignof(Value)) pack {
  Value at[across];
};

/// Bytes are loaded as words and extracted on use, which saves registers.
template <class Value>
constexpr bool in_words = at_once<Value> && sizeof(pack<Value>) % sizeof(unsigned) == 0;

template <class Value>
__device__ static pack<Value> load(const Value* first) {
  if constexpr (in_words<Value>) {
    struct [[gnu::may_alias]] alignas(sizeof(pack<Value>)) words {
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

/// Value i of a pack. For bytes the compiler would need two instructions.
template <class Value>
__device__ static Value taken(const pack<Value>& values, int i) {
  if constexpr (in_words<Value> && sizeof(Value) == 1) {
    unsigned words[sizeof values / sizeof(unsigned)];
    memcpy(words, &values, sizeof values);
    return static_cast<Value>(__byte_perm(words[i / 4], 0, 0x4440 + i % 4));
  } else {
    return values.at[i];
  }
}

/// The part of a row that a strip's windows cover: its own pixels, and those beside them. They stay packed
/// until used.
struct seen_row {
  pack<rule::pixel_type> middle;
  rule::pixel_type sides[rule::window_width];  // one more than needed, because arrays cannot be empty

  __device__ rule::pixel_type at(int a) const {
    if (a >= left && a < left + across) return taken(middle, a - left);
    return sides[a < left ? a : a - across];
  }

  /// `first` is the strip's first pixel in the row.
  __device__ void read(const rule::pixel_type* first, bool aligned) {
    if (aligned)
      middle = load(first);
    else
#pragma unroll
      for (int a = 0; a < across; ++a) middle.at[a] = first[a];
#pragma unroll
    for (int a = 0; a < left; ++a) sides[a] = first[a - left];
#pragma unroll
    for (int a = 0; a < right; ++a) sides[left + a] = first[across + a];
  }
};

/// The part of an image whose windows lie inside, rounded to whole strips and steps. The few other pixels are
/// computed one by one.
struct inner_part {
  int x, y, z;                // where it begins
  int columns, rows, slices;  // in strips, steps and slices

  __device__ explicit inner_part(const rule::extent& size) {
    const bool aligned = size.width % across == 0;
    x = aligned ? (left + across - 1) / across * across : left;
    y = above;
    z = before;
    columns = (static_cast<int>(size.width) - right - x) / across;
    rows = (static_cast<int>(size.height) - below - y) / down;
    slices = static_cast<int>(size.depth) - before - behind;
    if (!in_registers || columns <= 0 || rows <= 0) columns = rows = 0;
  }
  __device__ bool has_slice(int k) const { return k >= z && k < z + slices && rows > 0; }
};

/// Computes a strip from row y to before row `end`, in whole steps. Rows that the next windows share are
/// kept.
template <bool aligned>
__device__ static void compute_strip(const rule::pixel_type* image, rule::result_type* result,
                                     const rule::extent& size, int x, int y, int z, int end,
                                     const rule::parameters& given) {
  constexpr int kept = rule::window_height - 1;
  const auto width = size.width;
  const auto start = (z * size.height + y) * width + x;
  auto from = image + start - above * width;
  auto to = result + start;
  seen_row seen[rule::window_depth][seen_height];
  const auto read = [&](int b) {
#pragma unroll
    for (int c = 0; c < rule::window_depth; ++c)
      seen[c][b].read(from + ((c - before) * size.height + b) * width, aligned);
  };
#pragma unroll
  for (int b = 0; b < kept; ++b) read(b);
#pragma unroll 1
  for (; y < end; y += down, from += down * width, to += down * width) {
#pragma unroll
    for (int b = kept; b < seen_height; ++b) read(b);
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
            for (int a = 0; a < rule::window_width; ++a) window[c][b][a] = seen[c][j + b].at(i + a);
        out.at[i] = rule::apply(window, x + i, y + j, z, given);
      }
      const auto row = to + j * width;
      if constexpr (aligned)
        *reinterpret_cast<pack<rule::result_type>*>(row) = out;
      else
#pragma unroll
        for (int i = 0; i < across; ++i) row[i] = out.at[i];
    }
#pragma unroll
    for (int c = 0; c < rule::window_depth; ++c)
#pragma unroll
      for (int b = 0; b < kept; ++b) seen[c][b] = seen[c][b + down];
  }
}

/// A pixel that may lie outside the image.
__device__ static rule::pixel_type pixel_at(const rule::pixel_type* image, const rule::extent& size,
                                            long long x, long long y, long long z) {
  const auto i = rule::inside(x, size.width), j = rule::inside(y, size.height),
             k = rule::inside(z, size.depth);
  return i < 0 || j < 0 || k < 0 ? rule::pixel_type{} : image[(k * size.height + j) * size.width + i];
}

/// Computes one pixel, anywhere in the image.
__device__ static rule::result_type compute_pixel(const rule::pixel_type* image, const rule::extent& size,
                                                  int x, int y, int z, const rule::parameters& given) {
  const bool inside = x >= left && x + right < size.width && y >= above && y + below < size.height &&
                      z >= before && z + behind < size.depth;
  rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
  for (int c = 0; c < rule::window_depth; ++c)
    for (int b = 0; b < rule::window_height; ++b) {
      const auto row = image + ((z + c - before) * size.height + y + b - above) * size.width + x - left;
      for (int a = 0; a < rule::window_width; ++a)
        window[c][b][a] =
            inside ? row[a] : pixel_at(image, size, x + a - left, y + b - above, z + c - before);
    }
  return rule::apply(window, x, y, z, given);
}

/// Computes the pixels of slice z around an inner part that begins at (x, y). Pixels are numbered, whole rows
/// first. A thread takes number `first` and every `step`-th after it.
__device__ static void compute_around(const rule::pixel_type* image, rule::result_type* result,
                                      const rule::extent& size, int z, int x, int y, int columns, int rows,
                                      long long first, long long step, const rule::parameters& given) {
  const int width = static_cast<int>(size.width), height = static_cast<int>(size.height);
  const int beside = width - columns;
  const long long in_whole_rows = static_cast<long long>(height - rows) * width;
  const long long all = in_whole_rows + static_cast<long long>(rows) * beside;
#pragma unroll 1
  for (long long number = first; number < all; number += step) {
    int i, j;
    if (number < in_whole_rows) {
      i = static_cast<int>(number % width);
      j = static_cast<int>(number / width);
      if (j >= y) j += rows;
    } else {
      i = static_cast<int>((number - in_whole_rows) % beside);
      j = static_cast<int>((number - in_whole_rows) / beside) + y;
      if (i >= x) i += columns;
    }
    result[(z * size.height + j) * size.width + i] = compute_pixel(image, size, i, j, z, given);
  }
}

/// The first `blocks_around` rows of blocks compute the border, the others strips of `rows` rows each. In a
/// slice without an inner part, all blocks compute single pixels.
extern "C" __global__ void __launch_bounds__(128, seen_words <= 48 ? 8 : 4)
    n2p_kernel(const rule::pixel_type* __restrict__ image, rule::result_type* __restrict__ result,
               rule::extent size, int rows, int blocks_around, rule::parameters given) {
  const inner_part inner(size);
  const bool around = blockIdx.y < blocks_around;
  for (int z = static_cast<int>(blockIdx.z); z < size.depth; z += static_cast<int>(gridDim.z)) {
    const bool has_inner = inner.has_slice(z);
    if (around || !has_inner) {
      const long long block = static_cast<long long>(blockIdx.y) * gridDim.x + blockIdx.x;
      const long long blocks = static_cast<long long>(has_inner ? blocks_around : gridDim.y) * gridDim.x;
      const int threads = blockDim.x * blockDim.y;
      compute_around(image, result, size, z, inner.x, inner.y, has_inner ? inner.columns * across : 0,
                     has_inner ? inner.rows * down : 0,
                     block * threads + threadIdx.y * blockDim.x + threadIdx.x, blocks * threads, given);
    } else if constexpr (in_registers) {
      // Strips before the first inner one are skipped, not shifted, to keep the stores of a warp aligned.
      const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) * across + inner.x % across;
      const int y =
          static_cast<int>((blockIdx.y - blocks_around) * blockDim.y + threadIdx.y) * rows + inner.y;
      const int end = min(y + rows, inner.y + inner.rows * down);
      if (x < inner.x || x >= inner.x + inner.columns * across || y >= end) continue;
      if (size.width % across == 0)
        compute_strip<true>(image, result, size, x, y, z, end, given);
      else
        compute_strip<false>(image, result, size, x, y, z, end, given);
    }
  }
}

}  // namespace kernels
