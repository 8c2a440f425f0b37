#include "engines/cuda/line/site_words.cuh"

#include "core/ceil_div.hpp"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda {
namespace {

constexpr int columns_at_once = tuning::carry_columns, parts = tuning::carry_parts;

/// A thread takes `Words` words of a column; `parts` threads share the column.
template <int Words>
__global__ __launch_bounds__(columns_at_once* parts) void carry_sites(site_words to, int beyond,
                                                                      std::uint8_t* flags,
                                                                      std::int64_t flag_count) {
  __shared__ int last_of[parts][columns_at_once], first_of[parts][columns_at_once];
  constexpr int before_all = -(1 << 20), after_all = 1 << 20;
  const int column = threadIdx.x, part = threadIdx.y, k0 = part * Words;
  const std::int64_t x = std::int64_t{blockIdx.x} * columns_at_once + column;
  const bool inside = x < to.plane;
  let_next_start();
  wait_for_previous();
  for (std::int64_t i = std::int64_t{blockIdx.x} * columns_at_once * parts + part * columns_at_once + column;
       i < flag_count; i += std::int64_t{gridDim.x} * columns_at_once * parts)
    flags[i] = 0;
  std::uint32_t word[Words];
#pragma unroll
  for (int i = 0; i < Words; ++i)
    word[i] = inside && k0 + i < to.count ? to.word[(k0 + i) * to.plane + x] : 0;
  int first = after_all, last = before_all;
#pragma unroll
  for (int i = 0; i < Words; ++i)
    if (word[i]) last = 32 * (k0 + i) + 31 - __clz(word[i]);
#pragma unroll
  for (int i = Words - 1; i >= 0; --i)
    if (word[i]) first = 32 * (k0 + i) + __ffs(word[i]) - 1;
  last_of[part][column] = last;
  first_of[part][column] = first;
  __syncthreads();
  last = before_all;
  first = after_all;
#pragma unroll
  for (int other = 0; other < parts; ++other) {
    if (other < part) last = max(last, last_of[other][column]);
    if (other > part) first = min(first, first_of[other][column]);
  }
  if (!inside) return;
#pragma unroll
  for (int i = 0; i < Words; ++i)
    if (k0 + i < to.count) {
      const int steps = 32 * (k0 + i) - last;
      to.before[(k0 + i) * to.plane + x] = static_cast<std::uint16_t>(min(steps, beyond));
      if (word[i]) last = 32 * (k0 + i) + 31 - __clz(word[i]);
    }
#pragma unroll
  for (int i = Words - 1; i >= 0; --i)
    if (k0 + i < to.count) {
      const int steps = first - (32 * (k0 + i) + 31);
      to.after[(k0 + i) * to.plane + x] = static_cast<std::uint16_t>(min(steps, beyond));
      if (word[i]) first = 32 * (k0 + i) + __ffs(word[i]) - 1;
    }
}

}  // namespace

void run_carries(const gpu& on, const site_words& to, std::uint32_t beyond, std::uint8_t* flags,
                 std::int64_t flag_count) {
  const auto kernel = to.count <= 4 * parts    ? carry_sites<4>
                      : to.count <= 8 * parts  ? carry_sites<8>
                      : to.count <= 16 * parts ? carry_sites<16>
                      : to.count <= 32 * parts ? carry_sites<32>
                                               : carry_sites<64>;
  const auto blocks = static_cast<unsigned>(ceil_div(to.plane, columns_at_once));
  launch_dependent(on, "carry_sites", kernel, blocks, dim3(columns_at_once, parts), 0, to,
                   static_cast<int>(beyond), flags, flag_count);
}

}  // namespace macareu::cuda
