// Sites as bits. A word holds 32 places of a line: the first axis of a distance transform takes one bit per
// pixel instead of a number of steps. Every word has two carries: the steps from its first place to the last
// site before it, and from its last place to the first site after it.
#pragma once

#include <cstdint>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/dependent_launch.cuh"
#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/line.hpp"

namespace macareu::cuda {

/// Largest carry, for words without a site. With the steps inside a word it still fits 16 bits.
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

using tuning::pack_threads;

/// Sets bit i of bits[j] if pixel j of row i is not zero. Rows must be aligned to four pixels.
template <class T>
__device__ void pack_nonzero(const T* from, std::int64_t step, std::uint32_t (&bits)[4]) {
  constexpr int batch = tuning::packed_rows_at_once;
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

/// Takes four bytes at a time: the top bit of each tells whether it is not zero. Eight rows make bytes of
/// bits, which are transposed into words.
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

/// A thread packs four columns of 32 places. Sites are the pixels that are zero, or all others. Computing the
/// carries here too, with a block for 32 whole lines, took 5 us more at 4096^2.
template <class T>
__global__ __launch_bounds__(pack_threads) void pack_sites(bool sites_are_zero, stacked_rows<const T> in,
                                                           bool aligned, site_words to) {
  let_next_start();
  const std::int64_t across = ceil_div(to.pitch / 4, pack_threads);
  const std::int64_t line = blockIdx.x / across;  // of blocks: word and row
  const std::int64_t k = line / in.rows, row = line - k * in.rows;
  const std::int64_t x = ((blockIdx.x - line * across) * pack_threads + threadIdx.x) * 4;
  if (x >= to.pitch) return;
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
  *reinterpret_cast<uint4*>(to.word + k * to.plane + row * to.pitch + x) = {bits[0], bits[1], bits[2],
                                                                            bits[3]};
}

template <class Rule, class T>
void run_pack(const gpu& on, const Rule& rule, line_axis axis, const view<const T>& in,
              const site_words& to) {
  const auto across = ceil_div(to.pitch / 4, pack_threads);
  pack_sites<<<static_cast<unsigned>(across * to.rows * to.count), pack_threads, 0, on.stream>>>(
      rule.lift(T{}) == 0, stacked_rows<const T>(axis, in), has_aligned_groups(in, 4), to);
  on.launched("pack_sites");
}

/// Fills the carries of the words, with `beyond` where there is no site, and clears `flags`.
void run_carries(const gpu& on, const site_words& to, std::uint32_t beyond, std::uint8_t* flags,
                 std::int64_t flag_count);

}  // namespace macareu::cuda
