// Sites as bits: one word holds 32 places of a line, so the first axis of a distance transform costs an
// eighth of a byte a pixel instead of its steps. Beside every word stand the steps from its first place to
// the last site before it, and from its last place to the first site after it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engines/cuda/line/dependent_launch.cuh"
#include "engines/cuda/pixels.cuh"
#include "patterns/line.hpp"

namespace macareu::cuda {

/// Steps from a word where there is no site, at most: with those inside a word still 16 bits.
inline constexpr std::uint32_t most_beyond = 0xffe0;
inline constexpr std::int64_t longest_word_line = 32767;

/// Word k of the lines of row b begins at k * plane + b * pitch.
struct site_words {
  std::uint32_t* word;
  std::uint16_t *before, *after;
  std::int64_t pitch;   // columns, a multiple of 4
  std::int64_t rows;    // rows of lines side by side
  std::int64_t plane;   // rows * pitch
  std::int64_t length;  // of a line
  std::int64_t count;   // words of a line
};

/// An image as lines along its first axis: place i of the lines in row b is a row of the image.
template <class T>
struct stacked_rows {
  T* data;
  std::int64_t length, rows, width;
  std::int64_t step_length, step_row;  // step_x is 1, or `step_x`
  std::int64_t step_x;

  stacked_rows(line_axis axis, const view<T>& image)
      : data(image.data),
        length(length_along(axis, image)),
        rows(axis == line_axis::z ? image.height : image.depth),
        width(image.width),
        step_length(step_along(axis, image)),
        step_row(axis == line_axis::z ? image.step_y : image.step_z),
        step_x(image.step_x) {}
  MACAREU_HD T* at(std::int64_t place, std::int64_t row) const {
    return data + place * step_length + row * step_row;
  }
};

/// Bit i of bits[j]: is pixel j of row i not zero? For rows that begin at multiples of four pixels.
template <class T>
__device__ void pack_nonzero(const T* from, std::int64_t step, std::uint32_t (&bits)[4]) {
  constexpr int batch = 8;
#pragma unroll 1
  for (int first = 0; first < 32; first += batch) {
    pixel_group<T, 4> pixels[batch];
#pragma unroll
    for (int i = 0; i < batch; ++i)
      pixels[i] = *reinterpret_cast<const pixel_group<T, 4>*>(from + (first + i) * step);
#pragma unroll
    for (int i = 0; i < batch; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (pixels[i].value[j] != T{}) bits[j] |= 1u << (first + i);
  }
}

/// Bytes four at a time: the top bit of each says whether it is not zero. Eight rows make bytes of bits,
/// which are turned into words.
template <class T>
requires(sizeof(T) == 1) __device__
    void pack_nonzero(const T* from, std::int64_t step, std::uint32_t (&bits)[4]) {
  std::uint32_t four[32], eight[4]{};
#pragma unroll
  for (int i = 0; i < 32; ++i) four[i] = *reinterpret_cast<const std::uint32_t*>(from + i * step);
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const std::uint32_t low = (four[i] & 0x7f7f7f7fu) + 0x7f7f7f7fu;
    eight[i / 8] = eight[i / 8] >> 1 | ((low | four[i]) & 0x80808080u);
  }
  const std::uint32_t a = __byte_perm(eight[0], eight[1], 0x5140),
                      b = __byte_perm(eight[0], eight[1], 0x7362);
  const std::uint32_t c = __byte_perm(eight[2], eight[3], 0x5140),
                      d = __byte_perm(eight[2], eight[3], 0x7362);
  bits[0] = __byte_perm(a, c, 0x5410);
  bits[1] = __byte_perm(a, c, 0x7632);
  bits[2] = __byte_perm(b, d, 0x5410);
  bits[3] = __byte_perm(b, d, 0x7632);
}

/// Which of 32 places of four columns are sites: the pixels that are zero, or all others.
template <class T>
__device__ uint4 packed_word(bool sites_are_zero, const stacked_rows<const T>& in, bool aligned,
                             std::int64_t k, std::int64_t row, std::int64_t x) {
  const T* const from = in.at(k * 32, row) + x * in.step_x;
  std::uint32_t bits[4]{};
  if (aligned && x + 4 <= in.width && k * 32 + 32 <= in.length) {
    pack_nonzero(from, in.step_length, bits);
    const std::uint32_t turned = sites_are_zero ? ~0u : 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) bits[j] ^= turned;
  } else {
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll 1
      for (int i = 0; i < 32 && k * 32 + i < in.length && x + j < in.width; ++i)
        if ((from[i * in.step_length + j * in.step_x] == T{}) == sites_are_zero) bits[j] |= 1u << i;
  }
  return {bits[0], bits[1], bits[2], bits[3]};
}

/// What a block packs: whole lines of 32 columns, eight threads to a word of all of them. Their words lie in
/// shared memory until what stands beside them is known.
struct packed_strip {
  static constexpr int columns = 32, across = columns / 4, most_threads = 512, most_parts = most_threads / 32;

  static int threads(std::int64_t words) {
    return across * static_cast<int>(std::clamp<std::int64_t>(
                        static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(words))), 4,
                        most_threads / across));
  }
  static std::size_t shared_bytes(std::int64_t words) {
    return static_cast<std::size_t>(words) * columns * sizeof(std::uint32_t);
  }
};

/// The steps beside the words of a strip from `x` on: a thread has some words of a column.
__device__ inline void write_beside(const std::uint32_t* words, const site_words& to, std::int64_t x,
                                    int beyond) {
  using strip = packed_strip;
  __shared__ int last_of[strip::most_parts][strip::columns], first_of[strip::most_parts][strip::columns];
  constexpr int before_all = -(1 << 20), after_all = 1 << 20;
  const int column = threadIdx.x % 32, part = threadIdx.x / 32, parts = blockDim.x / 32;
  const int count = static_cast<int>(to.count), own = (count + parts - 1) / parts;
  const int begin = min(count, part * own), end = min(count, begin + own);
  const auto last_in = [&](int k) { return 32 * k + 31 - __clz(words[k * strip::columns + column]); };
  const auto first_in = [&](int k) { return 32 * k + __ffs(words[k * strip::columns + column]) - 1; };
  const auto any_in = [&](int k) { return words[k * strip::columns + column] != 0; };
  int first = after_all, last = before_all;
  for (int k = begin; k < end; ++k)
    if (any_in(k)) {
      last = last_in(k);
      if (first == after_all) first = first_in(k);
    }
  last_of[part][column] = last;
  first_of[part][column] = first;
  __syncthreads();
  if (x + column >= to.pitch) return;
  last = before_all;
  first = after_all;
  for (int other = 0; other < part; ++other) last = max(last, last_of[other][column]);
  for (int other = part + 1; other < parts; ++other) first = min(first, first_of[other][column]);
  for (int k = begin; k < end; ++k) {
    to.before[k * to.plane + x + column] = static_cast<std::uint16_t>(min(32 * k - last, beyond));
    if (any_in(k)) last = last_in(k);
  }
  for (int k = end - 1; k >= begin; --k) {
    to.after[k * to.plane + x + column] = static_cast<std::uint16_t>(min(first - (32 * k + 31), beyond));
    if (any_in(k)) first = first_in(k);
  }
}

template <class T>
__global__ __launch_bounds__(packed_strip::most_threads,
                             2) void pack_sites(bool sites_are_zero, stacked_rows<const T> in, bool aligned,
                                                site_words to, int beyond, std::uint8_t* flags,
                                                std::int64_t flag_count) {
  using strip = packed_strip;
  extern __shared__ uint4 packed[];
  let_next_start();
  const std::int64_t strips = (to.pitch + strip::columns - 1) / strip::columns;
  const std::int64_t row = blockIdx.x / strips, x = (blockIdx.x - row * strips) * strip::columns;
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < flag_count;
       i += std::int64_t{gridDim.x} * blockDim.x)
    flags[i] = 0;
  const int four = threadIdx.x % strip::across;
  for (int k = threadIdx.x / strip::across; k < to.count; k += blockDim.x / strip::across) {
    uint4 bits{};
    if (x + 4 * four < to.pitch) {
      bits = packed_word(sites_are_zero, in, aligned, k, row, x + 4 * four);
      *reinterpret_cast<uint4*>(to.word + k * to.plane + row * to.pitch + x + 4 * four) = bits;
    }
    packed[k * strip::across + four] = bits;
  }
  __syncthreads();
  site_words own = to;
  own.before += row * to.pitch;
  own.after += row * to.pitch;
  write_beside(reinterpret_cast<const std::uint32_t*>(packed), own, x, beyond);
}

/// Fills words and what stands beside them, `beyond` where there is no site, and clears `flags` on the way.
template <class Rule, class T>
void run_pack(const gpu& on, const Rule& rule, line_axis axis, const view<const T>& in, const site_words& to,
              std::uint32_t beyond, std::uint8_t* flags, std::int64_t flag_count) {
  using strip = packed_strip;
  constexpr std::size_t unasked = 48 << 10;  // bytes of shared memory
  const auto shared = strip::shared_bytes(to.count);
  static_assert(strip::columns * sizeof(std::uint32_t) * ((longest_word_line + 31) / 32) <= 160 << 10);
  if (shared > unasked)
    check(cudaFuncSetAttribute(pack_sites<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)),
          "cudaFuncSetAttribute");
  const auto blocks = to.rows * ((to.pitch + strip::columns - 1) / strip::columns);
  pack_sites<T><<<static_cast<unsigned>(blocks), strip::threads(to.count), shared, on.stream>>>(
      rule.lift(T{}) == 0, stacked_rows<const T>(axis, in), has_aligned_groups(in, 4), to,
      static_cast<int>(beyond), flags, flag_count);
  on.launched("pack_sites");
}

}  // namespace macareu::cuda
