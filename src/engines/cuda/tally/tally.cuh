// tally on the GPU, in one pass over the labels for any rule.
//
// A block takes a tile of the image. A lane walks down a column of it and accumulates a row for the current
// object. Where the object changes, the lanes that leave it add their rows to the tile's objects in shared
// memory. Lanes of one object are joined first. At the end the tile's rows are added to those of the image.
// The row of an object that fills the image is thus updated once per tile, not once per column.
//
// Within a tile places are relative to its origin, so a rule's narrow rows suffice (patterns/tally.hpp).
#pragma once

#include <cuda/std/tuple>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "core/ceil_div.hpp"
#include "engines/cuda/runtime/gpu.cuh"
#include "engines/cuda/runtime/pinned_buffer.hpp"
#include "engines/cuda/runtime/transfer.hpp"
#include "engines/cuda/tally/tally_rows.cuh"
#include "engines/cuda/tuning.hpp"
#include "patterns/tally.hpp"

namespace macareu::cuda {

/// Tiles of one slice. A warp takes 32 columns and half of the tile's height.
struct tally_tiles {
  static constexpr int side = static_cast<int>(part_side), abreast = side / 32,
                       down = tuning::tally_warps_down;
  static constexpr int threads = 32 * abreast * down, rows = side / down;
  static_assert(side * side <= part_pixels);

  template <class T>
  tally_tiles(const view<T>& image, tally_band band)
      : across(ceil_div(image.width, side)),
        strips(ceil_div(image.depth > 1 ? image.height : band.count, side)),
        count(across * strips * (image.depth > 1 ? band.count : 1)),
        slice(image.depth > 1 ? band.first : 0),
        top(image.depth > 1 ? 0 : band.first),
        bottom(image.depth > 1 ? image.height : band.first + band.count) {}

  __device__ site origin(std::int64_t tile) const {
    const auto strip = tile / across;
    return {slice + strip / strips, top + strip % strips * side, tile % across * side};
  }

  std::int64_t across, strips, count;
  std::int64_t slice, top, bottom;  // the first slice and row, and the end of rows
};

/// Tiles for rules that need the neighbours of a pixel. Warps have a halo of two columns on either side.
struct outline_tiles {
  static constexpr int halo = 2, columns = 32 - 2 * halo, abreast = tally_tiles::abreast,
                       rows = tally_tiles::rows, side = columns * abreast, height = tally_tiles::side;

  template <class T>
  outline_tiles(const view<T>& image, tally_band band)
      : across(ceil_div(image.width, side)),
        count(across * ceil_div(band.count, height)),
        top(band.first),
        bottom(band.first + band.count) {}

  __device__ site origin(std::int64_t tile) const {
    return {0, top + tile / across * height, tile % across * side};
  }

  std::int64_t across, count;
  std::int64_t top, bottom;  // the first row and the end of rows
};

/// Lanes with equal labels in two rows, one above the other. `down`: straight down; `aslant`: down and to the
/// next lane; `back`: down and to the lane before; `along`: along the lower row to the next lane.
struct alike_rows {
  unsigned down, aslant, back, along;

  template <class Label>
  __device__ __forceinline__ alike_rows(Label upper, Label lower) {
    const Label next = __shfl_down_sync(~0u, lower, 1), before = __shfl_up_sync(~0u, lower, 1);
    down = __ballot_sync(~0u, upper == lower);
    aslant = __ballot_sync(~0u, upper == next);
    back = __ballot_sync(~0u, upper == before);
    along = __ballot_sync(~0u, lower == next);
  }
};
/// The lanes that are on the border of their objects in the row between.
__device__ __forceinline__ unsigned border_of(const alike_rows& upper, const alike_rows& lower) {
  return ~(upper.down & lower.down & upper.along & upper.along << 1);
}

/// The row of an object in a lane and in a tile: the rule's narrow row, or the row itself.
template <class Rule, class Label, class... In>
struct tile_rows_of {
  using part = typename Rule::row;
  /// Places are those of the whole image.
  static __device__ void add(const Rule& rule, part& to, site whole, site, site p,
                             const view<const Label>& labels, const In&... in) {
    rule.add(to, whole + p, labels_beside<Label>{labels, p}, in...);
  }
  static __device__ const part& widen(const Rule&, const part& row, site) { return row; }
};
template <class Rule, class Label, class... In>
requires has_part_rows<Rule, Label, In...>
struct tile_rows_of<Rule, Label, In...> {
  using part = typename Rule::template part_row<In...>;
  static __device__ void add(const Rule& rule, part& to, site, site origin, site p,
                             const view<const Label>& labels, const In&... in) {
    rule.add(to, p - origin, labels_beside<Label>{labels, p}, in...);
  }
  static __device__ typename Rule::row widen(const Rule& rule, const part& row, site origin) {
    return rule.widen(row, origin);
  }
};

/// Hash table of a tile's objects, with open addressing. Objects without a place go to the image's rows.
template <class Row, class Label>
struct tile_objects {
  static constexpr unsigned places = tuning::tally_places, looks = tuning::tally_looks;
  using known_label = known_word<Label>;

  alignas(16) Row rows[places];
  known_label labels[places];  // 0: free

  /// Called by all threads of the block; a barrier must follow.
  __device__ void clear() {
    for (unsigned i = threadIdx.x; i < places; i += blockDim.x) {
      labels[i] = 0;
      rows[i] = Row{};
    }
  }
  /// Returns null if there is no place for it.
  __device__ Row* row_of(Label label) {
    unsigned place = static_cast<unsigned>(label) * 2654435769u >> 26;
    static_assert(places == 1u << (32 - 26));
    for (unsigned look = 0; look < looks; ++look, place = (place + 1) % places) {
      const auto found = atomicCAS(&labels[place], known_label{0}, static_cast<known_label>(label));
      if (found == 0 || found == label) return &rows[place];
    }
    return nullptr;
  }
};

/// Not inlined, because its wide sums would take registers from the walk. It runs once per object and tile.
template <class Rows, class Rule, class Part>
__device__ __noinline__ void add_to_image(const Rule& rule, typename Rule::row& to, const Part& part,
                                          site origin) {
  add_to_device_row(to, Rows::widen(rule, part, origin));
}

/// Adds the rows of all lanes to their objects. Needs whole warps; lanes with label 0 have no object.
template <class Rows, class Rule, class Label, class Part>
__device__ __forceinline__ void leave_objects(tile_objects<Part, Label>& objects, const Rule& rule,
                                              typename Rule::row* rows, site origin, Label label,
                                              const Part& own) {
  constexpr int worth_joining = tuning::lanes_worth_joining;
  const unsigned lane = threadIdx.x % 32;
  const bool few = __popc(__ballot_sync(~0u, label != 0)) < worth_joining;
  const unsigned alike = few ? 0 : __match_any_sync(~0u, static_cast<known_word<Label>>(label));
  bool alone = label != 0 && __popc(alike) < worth_joining;
#pragma unroll 1
  for (unsigned left = __ballot_sync(~0u, label != 0 && !alone); left != 0;) {
    const unsigned leader = __ffs(static_cast<int>(left)) - 1;
    const unsigned members = __shfl_sync(~0u, alike, leader);
    const bool member = members >> lane & 1;
    Part* const place = lane == leader ? objects.row_of(label) : nullptr;
    if (__any_sync(~0u, place != nullptr))
      add_rows_of_warp(place, member, own);
    else
      alone = alone || member;
    left &= ~members;
  }
  if (!alone) return;
  if (Part* const place = objects.row_of(label))
    add_row(*place, own);
  else
    add_to_image<Rows>(rule, rows[label], own, origin);
}

/// Adds a tile's objects to the rows of the image. Called by all threads of the block.
template <class Rows, class Rule, class Label, class Part>
__device__ __forceinline__ void give_objects(const tile_objects<Part, Label>& objects, const Rule& rule,
                                             typename Rule::row* rows, site origin) {
  for (unsigned i = threadIdx.x; i < objects.places; i += tally_tiles::threads)
    if (const auto label = objects.labels[i]; label != 0)
      add_to_image<Rows>(rule, rows[label], objects.rows[i], origin);
}

template <class T>
__device__ __forceinline__ void ask_for(const T* pixel) {
  asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(pixel)));
}

/// Blocks per multiprocessor.
template <class Part>
constexpr int tally_blocks = sizeof(Part) <= tuning::small_tally_row ? tuning::small_tally_blocks
                                                                     : tuning::large_tally_blocks;

template <class Rule, class Label, class... In>
__global__ __launch_bounds__(
    tally_tiles::threads,
    tally_blocks<typename tile_rows_of<Rule, Label, In...>::part>) void tally_pixels(tally_tiles tiles,
                                                                                     Rule rule, site whole,
                                                                                     typename Rule::row* rows,
                                                                                     view<const Label> labels,
                                                                                     view<const In>... in) {
  using kept = tile_rows_of<Rule, Label, In...>;
  using part = typename kept::part;
  // As bytes, because tiles without objects do not clear their rows.
  using tile_objects_of = tile_objects<part, Label>;
  __shared__ alignas(tile_objects_of) std::byte memory[sizeof(tile_objects_of)];
  auto& objects = *reinterpret_cast<tile_objects_of*>(memory);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const site origin = tiles.origin(blockIdx.x);
  site p{origin.z, origin.y + warp / tally_tiles::abreast * tally_tiles::rows,
         origin.x + warp % tally_tiles::abreast * 32 + lane};
  const auto end = min(p.y + tally_tiles::rows, tiles.bottom);
  // Loads all rows at once; later loads hit the cache. Most tiles of many images have no object.
  Label seen = 0;
  if (p.x < labels.width) {
#pragma unroll 16
    for (auto y = p.y; y < end; ++y) seen |= labels[{p.z, y, p.x}];
  }
  if (!__syncthreads_or(seen != 0)) return;
  if (const site ahead{p.z, p.y + lane, p.x - lane}; ahead.y < end && ahead.x < labels.width)
    (ask_for(&in[ahead]), ...);
  objects.clear();
  __syncthreads();
  part own;
  Label last = 0;  // the object of `own`
  if (__any_sync(~0u, seen != 0)) {
#pragma unroll 1
    for (; p.y < end; ++p.y) {
      const Label label = p.x < labels.width ? labels[p] : Label{};
      const bool leaves = last != 0 && label != last;
      if (__any_sync(~0u, leaves)) {
        leave_objects<kept>(objects, rule, rows, whole + origin, leaves ? last : Label{}, own);
        if (leaves) own = {};
      }
      if (label != 0) kept::add(rule, own, whole, origin, p, labels, in[p]...);
      last = label;
    }
    leave_objects<kept>(objects, rule, rows, whole + origin, last, own);
  }
  __syncthreads();
  give_objects<kept>(objects, rule, rows, whole + origin);
}

/// As tally_pixels, for rules that take neighbours as words of bits and add the pixels of a column together.
/// A warp has 28 columns; its outer lanes are the halo. Lanes exchange labels by shuffles, so each loads one
/// label per row. Comparisons of two rows are kept for the next row.
template <class Rule, class Label, class... In>
__global__ __launch_bounds__(
    tally_tiles::threads,
    tally_blocks<typename tile_rows_of<Rule, Label, In...>::part>) void tally_image(outline_tiles tiles,
                                                                                    Rule rule, site whole,
                                                                                    typename Rule::row* rows,
                                                                                    view<const Label> labels,
                                                                                    view<const In>... in) {
  using kept = tile_rows_of<Rule, Label, In...>;
  using part = typename kept::part;
  using values = ::cuda::std::tuple<In...>;
  using tile_objects_of = tile_objects<part, Label>;
  __shared__ alignas(tile_objects_of) std::byte memory[sizeof(tile_objects_of)];
  auto& objects = *reinterpret_cast<tile_objects_of*>(memory);
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  const site origin = tiles.origin(blockIdx.x);
  constexpr int halo = outline_tiles::halo;
  const int first_row = warp / outline_tiles::abreast * outline_tiles::rows,
            first_column = warp % outline_tiles::abreast * outline_tiles::columns - halo;
  const site p{0, origin.y + first_row, origin.x + first_column + lane};
  // A warp may begin below the last row.
  const std::int64_t left = tiles.bottom - p.y;
  const int rows_here = static_cast<int>(max(std::int64_t{0}, min(std::int64_t{outline_tiles::rows}, left)));
  const bool inside = p.x >= 0 && p.x < labels.width, own_column = inside && lane >= halo && lane < 32 - halo;
  const Label* const column = labels.data + p.x * labels.step_x;
  const auto label_at = [&](std::int64_t y) {
    return inside && y >= 0 && y < labels.height ? column[y * labels.step_y] : Label{};
  };
  // Loads all rows at once; later loads hit the cache. Most tiles of many images have no object.
  Label seen = 0;
#pragma unroll 18
  for (auto y = p.y - halo; y < p.y + outline_tiles::rows + halo; ++y) seen |= label_at(y);
  if (!__syncthreads_or(own_column && seen != 0)) return;
  if (const site ahead{0, p.y + lane, p.x - lane + halo}; lane < rows_here && ahead.x < labels.width)
    (ask_for(&in[ahead]), ...);
  objects.clear();
  __syncthreads();
  if (__any_sync(~0u, own_column && seen != 0)) {
    typename Rule::template column_row<In...> own;
    Label last = 0;  // the object of `own`
    // Labels of two rows above, of this row, and of two rows below. Loads are one row ahead of their use.
    const Label high = label_at(p.y - 2), above = label_at(p.y - 1);
    Label label = label_at(p.y), below = label_at(p.y + 1), next = label_at(p.y + 2);
    const auto values_at = [&](int row) {
      return own_column && row < rows_here ? values(in[{0, p.y + row, p.x}]...) : values();
    };
    auto value = values_at(0);
    const alike_rows higher(high, above);
    alike_rows upper(above, label), lower(label, below);
    unsigned border_above = border_of(higher, upper), border = border_of(upper, lower);
#pragma unroll 1
    for (int row = 0;; ++row) {  // all lanes leave after the last row
      const Label after_next = label_at(p.y + row + 3);
      const auto next_value = values_at(row + 1);
      const alike_rows lowest(below, next);
      const unsigned border_below = border_of(lower, lowest);
      const Label mine = own_column && row < rows_here ? label : Label{};
      const bool leaves = last != 0 && mine != last;
      if (__any_sync(~0u, leaves)) {
        const site in_tile{0, first_row + row, first_column + lane};
        leave_objects<kept>(objects, rule, rows, whole + origin, leaves ? last : Label{},
                            rule.part_of(own, in_tile));
        if (leaves) own = {};
      }
      if (row == rows_here) break;
      if (__any_sync(~0u, mine != 0)) {
        const beside<std::uint32_t> same{upper.aslant << 1, upper.down, upper.back >> 1, upper.along << 1,
                                         upper.along,       lower.back, lower.down,      lower.aslant};
        const beside<std::uint32_t> edge{border_above << 1, border_above,     border_above >> 1,
                                         border << 1,       border >> 1,      border_below << 1,
                                         border_below,      border_below >> 1};
        const auto outline = rule.outline(same, edge);
        if (mine != 0) ::cuda::std::apply([&](const In&... each) { rule.add_below(own, each...); }, value);
        if (mine != 0 && outline.any()) rule.add_outline(own, outline, lane);
      }
      last = mine;
      label = below;
      below = next;
      next = after_next;
      value = next_value;
      upper = lower;
      lower = lowest;
      border_above = border;
      border = border_below;
    }
  }
  __syncthreads();
  give_objects<kept>(objects, rule, rows, whole + origin);
}

template <class Row>
__global__ void clear_rows(Row* rows, std::int64_t count) {
  for (auto i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::int64_t{gridDim.x} * blockDim.x) {
    // The copy to the host includes the padding between fields.
    auto* const words = reinterpret_cast<std::uint64_t*>(rows + i);
    for (std::size_t word = 0; word < sizeof(Row) / sizeof(std::uint64_t); ++word) words[word] = 0;
    rows[i] = {};
  }
}

/// Rows that are being copied to host memory. Reading them waits for the copy, which overlaps with host work.
template <class Row>
class host_rows {
 public:
  host_rows(const gpu& on, const device_array<Row>& from)
      : memory_(from.size() * static_cast<std::int64_t>(sizeof(Row))), count_(from.size()) {
    if (memory_.is_pinned()) {
      check(cudaMemcpyAsync(memory_.data(), from.data(), static_cast<std::size_t>(count_) * sizeof(Row),
                            cudaMemcpyDeviceToHost, on.stream),
            "cudaMemcpyAsync");
      under_way_ = on.stream;
      return;
    }
    constexpr std::int64_t word = sizeof(std::uint64_t);
    const auto words = count_ * static_cast<std::int64_t>(sizeof(Row)) / word;
    download(on.work, {reinterpret_cast<std::byte*>(from.data()), words},
             {memory_.data(), 1, 1, words, words, words, 1, word}, on.stream);
  }
  host_rows(const host_rows&) = delete;
  host_rows& operator=(const host_rows&) = delete;
  ~host_rows() {
    if (under_way_) cudaStreamSynchronize(*under_way_);  // the memory is reused
  }

  operator std::span<const Row>() const {
    if (const auto stream = std::exchange(under_way_, std::nullopt))
      check(cudaStreamSynchronize(*stream), "tally");
    return {reinterpret_cast<const Row*>(memory_.data()), static_cast<std::size_t>(count_)};
  }

 private:
  static_assert(std::is_trivially_copyable_v<Row> && alignof(Row) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  pinned_buffer memory_;
  std::int64_t count_;
  mutable std::optional<cudaStream_t> under_way_;
};

/// All images must stay in device memory until the rows have arrived. `whole`: the place of their first pixel
/// in the whole image.
template <class Rule, class Label, class... In>
host_rows<typename Rule::row> run_tally(const gpu& on, const Rule& rule, site whole, std::uint64_t count,
                                        tally_band band, const view<const Label>& labels,
                                        const view<const In>&... in) {
  static_assert(tally_rule<Rule, Label, In...>);
  using row = typename Rule::row;
  const auto all = static_cast<std::int64_t>(count) + 1;
  const device_array<row> rows(on, all);
  constexpr int threads = tuning::clearing_threads;
  const auto blocks =
      std::min<std::int64_t>(ceil_div(all, threads), tuning::clearing_blocks * on.multiprocessors);
  clear_rows<<<static_cast<unsigned>(blocks), threads, 0, on.stream>>>(rows.data(), all);
  on.launched("tally");
  const auto launch = [&](auto kernel, const auto& tiles) {
    if (tiles.count > 0)
      kernel<<<static_cast<unsigned>(tiles.count), tally_tiles::threads, 0, on.stream>>>(
          tiles, rule, whole, rows.data(), labels, in...);
  };
  if constexpr (has_outline<Rule, Label, In...>)
    launch(tally_image<Rule, Label, In...>, outline_tiles(labels, band));
  else
    launch(tally_pixels<Rule, Label, In...>, tally_tiles(labels, band));
  on.launched("tally");
  return {on, rows};
}

/// Maps labels to new numbers.
template <class Label>
struct renamed {
  const Label* number;
  MACAREU_HD Label operator()(site, Label label) const { return number[label]; }
};

}  // namespace macareu::cuda
