#include "engines/cuda/reduce/byte_histogram.cuh"

#include <algorithm>
#include <bit>

#include "engines/cuda/runtime/pixels.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {
namespace {

constexpr int group = 16, values = 256, lanes = 32;
constexpr unsigned bytes_of_a_value = lanes * sizeof(unsigned);
static_assert(bytes_of_a_value == 1 << 7);
static_assert(values == pixel_tiles::threads);

/// 32-bit counters suffice: a block has at most 2^31 pixels.
__global__ void __launch_bounds__(pixel_tiles::threads, tuning::byte_histogram_blocks)
    count_pixel_bytes(pixel_tiles tiles, bool aligned, view<const std::uint8_t> image,
                      unsigned long long* totals) {
  __shared__ unsigned counts[values * lanes];
  for (unsigned i = threadIdx.x; i < values * lanes; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  const unsigned lane = threadIdx.x % lanes;
  const auto count = [&](unsigned value) { atomicAdd(counts + value * lanes + lane, 1u); };
  // `shifted` has the byte from bit 7 on, so one operation selects it and inserts the lane.
  const auto count_bits = [&](unsigned shifted) {
    const unsigned offset = (shifted & (values - 1) * bytes_of_a_value) | lane * sizeof(unsigned);
    atomicAdd(reinterpret_cast<unsigned*>(reinterpret_cast<char*>(counts) + offset), 1u);
  };
  const auto count_group = [&](const pixel_group<std::uint8_t, group>& pixels) {
    const auto words = std::bit_cast<uint4>(pixels);
    for (const unsigned word : {words.x, words.y, words.z, words.w}) {
      count_bits(word << 7);
      count_bits(word >> 1);
      count_bits(word >> 9);
      count_bits(word >> 17);
    }
  };
  tiles.for_each_tile<group>(
      [&](const tile_places& places) {
        if (!aligned) return false;
        const auto loaded = load_tile<group>(image, places);
#pragma unroll
        for (const auto& pixels : loaded.row) count_group(pixels);
        return true;
      },
      [&](site p, int pixels) {
        if (pixels == group) return count_group(load_group<group>(image, p, aligned));
#pragma unroll 1
        for (const auto end = p.x + pixels; p.x < end; ++p.x) count(image[p]);
      });
  __syncthreads();
  unsigned sum = 0;
  for (unsigned i = 0; i < lanes; ++i)  // each thread of a warp reads another bank
    sum += counts[threadIdx.x * lanes + (threadIdx.x + i) % lanes];
  if (sum != 0) atomicAdd(totals + threadIdx.x, static_cast<unsigned long long>(sum));
}

void count_all(const gpu& on, const view<const std::uint8_t>& image, bool aligned,
               unsigned long long* counts) {
  const pixel_tiles tiles(image, group);
  const auto most = static_cast<unsigned>(tuning::byte_histogram_blocks * on.multiprocessors);
  count_pixel_bytes<<<std::min(tiles.all_blocks(), most), pixel_tiles::threads, 0, on.stream>>>(
      tiles, aligned, image, counts);
  on.launched("histogram");
}

}  // namespace

/// An image without gaps is cut into rows of another length, so that all rows are aligned to vectors.
void count_bytes(const gpu& on, const view<const std::uint8_t>& image, unsigned long long* counts) {
  if (has_aligned_groups(image, group)) return count_all(on, image, true, counts);
  constexpr std::int64_t row = group * pixel_tiles::threads;
  const auto rows = image.pixels() / row, rest = image.pixels() % row;
  view<const std::uint8_t> cut{image.data, 1, rows, row, rows * row, row, 1};
  if (rows == 0 || !has_no_gaps(image) || !has_aligned_groups(cut, group))
    return count_all(on, image, false, counts);
  count_all(on, cut, true, counts);
  cut = {image.data + rows * row, 1, 1, rest, rest, rest, 1};
  if (rest != 0) count_all(on, cut, true, counts);
}

}  // namespace macareu::cuda
