// tally on the GPU: one pass over the labels, whatever is summed up.
//
// A lane walks down a column of a tile, 32 columns to a warp, and keeps the row of the object it is in. Where
// the object changes, the lanes that leave it add their rows to those of the image. Lanes that leave the same
// object are joined first, so that an object that fills the image is not one address for all lanes.
//
// Rows in device memory change by atomic operations alone. A sum of 128 bits is two words: adding to the low
// one returns what it was, so the lane that made it wrap around knows, and adds the carry to the high one.
// Integers wrap around and bounds only move outwards, so the order does not matter: the same bits every time.
#pragma once

#include <cuda/atomic>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engines/cuda/gpu.cuh"
#include "patterns/tally.hpp"

namespace macareu::cuda {

using atomic_word = unsigned long long;

struct tally_tiles {
  static constexpr int warps = 4, threads = 32 * warps;
  static constexpr std::int64_t rows = 64;  // that a lane walks down

  template <class T>
  explicit tally_tiles(const view<T>& image)
      : columns((image.width + 31) / 32),
        strips((image.height + rows - 1) / rows),
        count(columns * strips * image.depth) {}

  unsigned blocks(const gpu& on) const {
    constexpr std::int64_t waves = 64;  // of blocks: tiles differ in how much they hold
    return static_cast<unsigned>(
        std::clamp<std::int64_t>((count + warps - 1) / warps, 1, waves * std::int64_t{on.multiprocessors}));
  }

  std::int64_t columns, strips, count;
};

template <std::size_t Counts, std::size_t Sums, std::size_t Bounds>
struct atomic_row {
  using row = tally_row<Counts, Sums, Bounds>;

  /// What another lane has.
  static __device__ row shuffled(const row& own, int apart) {
    const auto word = [&](auto value) {
      return __shfl_xor_sync(~0u, static_cast<atomic_word>(value), apart);
    };
    row there;
#pragma unroll
    for (std::size_t i = 0; i != Counts; ++i) there.count[i] = word(own.count[i]);
#pragma unroll
    for (std::size_t i = 0; i != Sums; ++i)
      there.sum[i] = static_cast<wide_sum>(word(own.sum[i] >> 64)) << 64 | word(own.sum[i]);
#pragma unroll
    for (std::size_t i = 0; i != Bounds; ++i) {
      there.least[i] = static_cast<std::int64_t>(word(own.least[i]));
      there.most[i] = static_cast<std::int64_t>(word(own.most[i]));
    }
    return there;
  }

  static __device__ void add(row& to, const row& own) {
#pragma unroll
    for (std::size_t i = 0; i != Counts; ++i)
      if (own.count[i] != 0) atomicAdd(reinterpret_cast<atomic_word*>(&to.count[i]), own.count[i]);
#pragma unroll
    for (std::size_t i = 0; i != Sums; ++i) {
      auto* const words = reinterpret_cast<atomic_word*>(&to.sum[i]);  // the low one first
      const auto low = static_cast<atomic_word>(own.sum[i]);
      auto high = static_cast<atomic_word>(own.sum[i] >> 64);
      if (low != 0 && atomicAdd(words, low) + low < low) ++high;
      if (high != 0) atomicAdd(words + 1, high);
    }
#pragma unroll
    for (std::size_t i = 0; i != Bounds; ++i) {
      if (own.least[i] < bound(to.least[i])) atomicMin(word(to.least[i]), own.least[i]);
      if (own.most[i] > bound(to.most[i])) atomicMax(word(to.most[i]), own.most[i]);
    }
  }

 private:
  static __device__ long long* word(std::int64_t& bound) { return reinterpret_cast<long long*>(&bound); }
  /// As it was a while ago: a bound that is no news then is none now.
  static __device__ long long bound(std::int64_t& of) {
    return ::cuda::atomic_ref<long long, ::cuda::thread_scope_device>(*word(of)).load(
        ::cuda::memory_order_relaxed);
  }
};

template <std::size_t Counts, std::size_t Sums, std::size_t Bounds>
atomic_row<Counts, Sums, Bounds> atomic_row_of(const tally_row<Counts, Sums, Bounds>&);

/// For whole warps: adds every lane's row to that of its label; lanes with label 0 have none.
template <class Row, class Label>
__device__ void add_rows(Row* rows, Label label, const Row& own) {
  using atomic = decltype(atomic_row_of(own));
  constexpr int worth_joining = 4;  // less than that many lanes are quicker one by one
  const unsigned lane = threadIdx.x % 32;
  const unsigned alike = __match_any_sync(~0u, static_cast<atomic_word>(label));
  const bool joined = label != 0 && __popc(alike) >= worth_joining;
#pragma unroll 1
  for (unsigned left = __ballot_sync(~0u, joined); left != 0;) {
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const unsigned members = __shfl_sync(~0u, alike, leader);
    Row part;
    if (members >> lane & 1) part = own;
#pragma unroll 1
    for (int apart = 16; apart > 0; apart /= 2) part.join(atomic::shuffled(part, apart));
    if (static_cast<int>(lane) == leader) atomic::add(rows[label], part);
    left &= ~members;
  }
  if (label != 0 && !joined) atomic::add(rows[label], own);
}

template <class Rule, class Label, class... In>
__global__ __launch_bounds__(tally_tiles::threads) void tally_pixels(tally_tiles tiles, Rule rule,
                                                                     typename Rule::row* rows,
                                                                     view<const Label> labels,
                                                                     view<const In>... in) {
  const unsigned lane = threadIdx.x % 32;
  const auto first = std::int64_t{blockIdx.x} * tally_tiles::warps + threadIdx.x / 32;
#pragma unroll 1
  for (auto tile = first; tile < tiles.count; tile += std::int64_t{gridDim.x} * tally_tiles::warps) {
    const auto strip = tile / tiles.columns;
    site p{strip / tiles.strips, strip % tiles.strips * tally_tiles::rows, tile % tiles.columns * 32 + lane};
    const auto end = min(p.y + tally_tiles::rows, labels.height);
    typename Rule::row own;
    Label last = 0;  // whose row `own` is
#pragma unroll 1
    for (; p.y < end; ++p.y) {
      const Label label = p.x < labels.width ? labels[p] : Label{};
      const bool leaves = last != 0 && label != last;
      if (__any_sync(~0u, leaves)) {
        add_rows(rows, leaves ? last : Label{}, own);
        if (leaves) own = {};
      }
      if (label != 0) rule.add(own, p, labels, in[p]...);
      last = label;
    }
    add_rows(rows, last, own);
  }
}

template <class Row>
__global__ void clear_rows(Row* rows, std::int64_t count) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x)
    rows[i] = {};
}

/// All images in device memory. Waits for the stream.
template <class Rule, class Label, class... In>
std::vector<typename Rule::row> run_tally(const gpu& on, const Rule& rule, std::uint64_t count,
                                          const view<const Label>& labels, const view<const In>&... in) {
  static_assert(tally_rule<Rule, Label, In...>);
  using row = typename Rule::row;
  static_assert(std::is_trivially_copyable_v<row>);
  const auto all = static_cast<std::int64_t>(count) + 1;
  const device_array<row> rows(on, all);
  constexpr int threads = 256;
  const auto blocks = std::min<std::int64_t>((all + threads - 1) / threads, 32 * on.multiprocessors);
  clear_rows<<<static_cast<unsigned>(blocks), threads, 0, on.stream>>>(rows.data(), all);
  on.launched("tally");
  const tally_tiles tiles(labels);
  tally_pixels<<<tiles.blocks(on), tally_tiles::threads, 0, on.stream>>>(tiles, rule, rows.data(), labels,
                                                                         in...);
  on.launched("tally");
  std::vector<row> result(static_cast<std::size_t>(all));
  check(cudaMemcpyAsync(result.data(), rows.data(), result.size() * sizeof(row), cudaMemcpyDeviceToHost,
                        on.stream),
        "cudaMemcpyAsync");
  on.synchronize("tally");
  return result;
}

/// What labels become.
template <class Label>
struct renamed {
  const Label* number;
  MACAREU_HD Label operator()(site, Label label) const { return number[label]; }
};

}  // namespace macareu::cuda
