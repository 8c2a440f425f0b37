// Apart from the names of the rule's file.
namespace kernels {

/// A thread goes down a strip of this many pixels side by side, by this many rows at a time: what their windows see
/// stays in its registers. More of them share more of what is read; too many do not fit.
constexpr int across = @ACROSS@, down = @DOWN@;
/// So many times such rows, in a large image: they share what is read more often, but others wait longer.
constexpr long long most_steps = @STEPS@;
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
constexpr bool in_words = at_once<Value> && sizeof(pack<Value>) % sizeof(unsigned) == 0;

template <class Value>
__device__ static pack<Value> load(const Value* first) {
  if constexpr (in_words<Value>) {
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

/// Value i of several. Of bytes the compiler would take some in two steps.
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

/// What a strip sees of a row: its own pixels, and those beside them. They stay as they were read until one is needed.
struct seen_row {
  pack<rule::pixel_type> middle;
  rule::pixel_type sides[rule::window_width];  // one more than there are, which may be none

  __device__ rule::pixel_type at(int a) const {
    if (a >= left && a < left + across) return taken(middle, a - left);
    return sides[a < left ? a : a - across];
  }
  __device__ void put(int a, rule::pixel_type value) {
    (a >= left && a < left + across ? middle.at[a - left] : sides[a < left ? a : a - across]) = value;
  }
};
using seen_rows = seen_row[rule::window_depth][seen_height];

/// How a strip is computed: all that it sees is inside the image, in rows that are aligned, because their width is a
/// multiple of the strip's, or not; or it is anywhere.
enum class place { aligned, inside, anywhere };

struct strip {
  const rule::pixel_type* image;
  rule::result_type* result;
  rule::extent size;
  int x, z;
  int columns[seen_width];  // where what it sees comes from, -1 for zeros; only of strips anywhere
};

/// Reads rows number `from` to before `to` of what is seen. Number 0 is row y of the image; `first` is the strip's
/// first pixel in it.
template <place where, int from, int to>
__device__ static void read(const strip& at, int y, const rule::pixel_type* first, seen_rows& seen) {
  const auto& size = at.size;
#pragma unroll
  for (int c = 0; c < rule::window_depth; ++c)
#pragma unroll
    for (int b = from; b < to; ++b) {
      auto& to_fill = seen[c][b];
      if constexpr (where == place::anywhere) {
        const auto k = rule::inside(at.z + c - before, size.depth), j = rule::inside(y + b, size.height);
        const auto row = at.image + (k * size.height + j) * size.width;
#pragma unroll
        for (int a = 0; a < seen_width; ++a)
          to_fill.put(a, k < 0 || j < 0 || at.columns[a] < 0 ? rule::pixel_type{} : row[at.columns[a]]);
      } else {
        const auto row = first + ((c - before) * size.height + b) * size.width;
        if constexpr (where == place::aligned) to_fill.middle = load(row);
#pragma unroll
        for (int a = 0; a < seen_width; ++a)
          if (where == place::inside || a < left || a >= left + across) to_fill.put(a, row[a - left]);
      }
    }
}

/// Goes down a strip from row y to before row `end`. Rows that the windows of the next ones see too are kept. Only
/// strips anywhere may end after less than `down` rows.
template <place where>
__device__ static void compute(const strip& at, int y, int end, const rule::parameters& given) {
  constexpr int kept = rule::window_height - 1;
  const auto width = at.size.width;
  const auto start = (at.z * at.size.height + y) * width + at.x;
  auto from = at.image + start - above * width;
  auto to = at.result + start;
  seen_rows seen;
  read<where, 0, kept>(at, y - above, from, seen);
#pragma unroll 1
  for (; y < end; y += down, from += down * width, to += down * width) {
    read<where, kept, seen_height>(at, y - above, from, seen);
#pragma unroll
    for (int j = 0; j < down; ++j) {
      pack<rule::result_type> out;
#pragma unroll
      for (int i = 0; i < across; ++i) {
        if (where == place::anywhere && (y + j >= end || at.x + i >= width)) continue;
        rule::pixel_type window[rule::window_depth][rule::window_height][rule::window_width];
#pragma unroll
        for (int c = 0; c < rule::window_depth; ++c)
#pragma unroll
          for (int b = 0; b < rule::window_height; ++b)
#pragma unroll
            for (int a = 0; a < rule::window_width; ++a) window[c][b][a] = seen[c][j + b].at(i + a);
        out.at[i] = rule::apply(window, at.x + i, y + j, at.z, given);
      }
      const auto row = to + j * width;
      if constexpr (where == place::aligned)
        *reinterpret_cast<pack<rule::result_type>*>(row) = out;
      else
#pragma unroll
        for (int i = 0; i < across; ++i)
          if (where == place::inside || (y + j < end && at.x + i < width)) row[i] = out.at[i];
    }
#pragma unroll
    for (int c = 0; c < rule::window_depth; ++c)
#pragma unroll
      for (int b = 0; b < kept; ++b) seen[c][b] = seen[c][b + down];
  }
}

/// Not where the others are: few strips come here, and those that do not need their registers.
__device__ __noinline__ static void compute_anywhere(strip at, int y, int end, const rule::parameters& given) {
#pragma unroll
  for (int a = 0; a < seen_width; ++a)
    at.columns[a] = static_cast<int>(rule::inside(at.x + a - left, at.size.width));
  compute<place::anywhere>(at, y, end, given);
}

/// Whether the slices that the windows of slice z see are there.
__device__ static bool is_inner(int z, long long depth) {
  return z >= before && z - before + rule::window_depth <= depth;
}

/// A strip from row `first` to before row `end`; `between`: nothing that it sees is left or right of the image.
__device__ static void compute_strip(const strip& at, int first, int end, bool between, const rule::parameters& given) {
  const auto& size = at.size;
  if (!between || !is_inner(at.z, size.depth)) {
    compute_anywhere(at, first, end, given);
    return;
  }
  const int top = first < above ? above : first;
  const long long last = size.height - (rule::window_height - 1 - above);
  const int bottom = end < last ? end : static_cast<int>(last);
  if (bottom - top < down) {
    compute_anywhere(at, first, end, given);
    return;
  }
  if (first < top) compute_anywhere(at, first, top, given);
  // Rows that are left over are computed together with some before them once more.
  for (int y = top, stop; y < bottom; y = stop) {
    if (y > bottom - down) y = bottom - down;
    stop = y + (bottom - y) / down * down;
    if (size.width % across == 0)
      compute<place::aligned>(at, y, stop, given);
    else
      compute<place::inside>(at, y, stop, given);
  }
  if (bottom < end) compute_anywhere(at, bottom, end, given);
}

/// A pixel that may lie outside the image.
__device__ static rule::pixel_type pixel_at(const rule::pixel_type* image, const rule::extent& size, long long x,
                                            long long y, long long z) {
  const auto i = rule::inside(x, size.width), j = rule::inside(y, size.height), k = rule::inside(z, size.depth);
  return i < 0 || j < 0 || k < 0 ? rule::pixel_type{} : image[(k * size.height + j) * size.width + i];
}

/// One pixel anywhere, of a window that is too large for registers.
__device__ static rule::result_type compute_pixel(const rule::pixel_type* image, const rule::extent& size, int x, int y,
                                                  int z, const rule::parameters& given) {
  const bool inside = x >= left && x - left + rule::window_width <= size.width && y >= above &&
                      y - above + rule::window_height <= size.height && z >= before &&
                      z - before + rule::window_depth <= size.depth;
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
  return rule::apply(window, x, y, z, given);
}

/// What a thread computes in every slice: `rows` rows of a strip, as far as the image has them.
struct share {
  int x, first, end;
  bool any;
  bool between;  // nothing that it sees is left or right of the image

  __device__ share(const rule::extent& size, int rows) {
    const long long left_edge = static_cast<long long>(blockIdx.x) * blockDim.x * across;
    const long long right_edge = left_edge + blockDim.x * across;
    const long long column = left_edge + threadIdx.x * across;
    const long long row = (static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y) * rows;
    any = column < size.width && row < size.height;
    x = static_cast<int>(column);
    first = static_cast<int>(row);
    end = static_cast<int>(row + rows < size.height ? row + rows : size.height);
    // The threads of a warp go the same way, so all strips of a block are careful where one has to be.
    between = left_edge >= left && right_edge + rule::window_width - 1 - left <= size.width;
  }

  /// All that it sees in its own slice is inside the image, in whole steps of aligned rows.
  __device__ bool is_plain(const rule::extent& size) const {
    return in_registers && between && size.width % across == 0 && first >= above &&
           end + (rule::window_height - 1 - above) <= size.height && (end - first) % down == 0;
  }
};

/// All slices of a share, but inner ones where those are done. Not where plain shares are computed: those are most, and
/// would keep what this needs in registers.
__device__ __noinline__ static void compute_carefully(const rule::pixel_type* image, rule::result_type* result,
                                                      rule::extent size, int rows, bool inner_done,
                                                      const rule::parameters& given) {
  const share own(size, rows);
  for (int z = static_cast<int>(blockIdx.z); z < size.depth; z += static_cast<int>(gridDim.z)) {
    if (inner_done && is_inner(z, size.depth)) continue;
    if constexpr (in_registers) {
      compute_strip({image, result, size, own.x, z, {}}, own.first, own.end, own.between, given);
    } else {
      for (int y = own.first; y < own.end; ++y)
        for (int i = own.x; i < own.x + across && i < size.width; ++i)
          result[(z * size.height + y) * size.width + i] = compute_pixel(image, size, i, y, z, given);
    }
  }
}

/// Small windows leave registers for 1024 threads of a multiprocessor, others for 512; blocks may be smaller than 256.
extern "C" __global__ void __launch_bounds__(256, seen_pixels <= 64 ? 4 : 2)
    n2p_kernel(const rule::pixel_type* __restrict__ image, rule::result_type* __restrict__ result, rule::extent size,
               int rows, rule::parameters given) {
  const share own(size, rows);
  if (!own.any) return;
  const bool is_plain = own.is_plain(size);
  if constexpr (in_registers)
    if (is_plain)
      for (int z = static_cast<int>(blockIdx.z); z < size.depth; z += static_cast<int>(gridDim.z))
        if (is_inner(z, size.depth))
          compute<place::aligned>({image, result, size, own.x, z, {}}, own.first, own.end, given);
  if (!is_plain || rule::window_depth > 1) compute_carefully(image, result, size, rows, is_plain, given);
}

}  // namespace kernels
