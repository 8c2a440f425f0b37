// The wave over the tiles of a 2-D image: one warp visits a tile, many warps share a worklist.
#pragma once

#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/problem.cuh"
#include "engines/cuda/wave/tiles.cuh"
#include "engines/cuda/wave/tiles/diagonal_passes.cuh"
#include "engines/cuda/wave/tiles/image_rims.cuh"
#include "engines/cuda/wave/tiles/image_tile.cuh"
#include "engines/cuda/wave/tiles/image_transfer.cuh"
#include "engines/cuda/wave/tiles/worklist.cuh"

namespace macareu::cuda::tiles {

/// Pass limits of first visits. A later visit, with newer rims, settles the rest.
struct first_visits {
  unsigned before_neighbours;  // of tiles that are visited before their neighbours
  unsigned after_neighbours;
};

template <class Key>
struct image_wave {
  bottleneck_problem<Key> problem;
  worklist work;
  wave_limits limits;
  published_rims<Key> rims;
  std::uint32_t across;
  bool vectors;  // rows of all images are aligned
  bool copies;   // the start lies elsewhere than the state
  first_visits most_passes;
};

/// One warp. Its lanes hold rims in registers; the tile lies in shared memory.
template <class Key, bool Diagonals>
class image_worker {
  using keys = lane_keys<Key>;
  using word = typename keys::word;
  static constexpr bool turns = image_tile<Key, Diagonals>::turns;
  static constexpr auto pairs = image_tile<Key, Diagonals>::pairs;
  static constexpr bool cuts = tuning::cuts_first_visits<Key, Diagonals>;

 public:
  __device__ image_worker(const image_wave<Key>& wave, image_tile<Key, Diagonals>& tile)
      : wave_(wave),
        tile_(tile),
        schedule_(wave.work, wave.limits, wave.across),
        lane_(static_cast<int>(threadIdx.x & 31)) {}

  __device__ void run() {
    scheduler::turn at;
    while (schedule_.next(at)) {
      const bool visits = !schedule_.skips(at);
      wakes_ = 0;
      unsettled_ = false;
      if (visits) visit(at);
      schedule_.leave(at, visits, wakes_, neighbours(at.tile).of_lane(lane_), cuts && unsettled_);
    }
    schedule_.end(blockIdx.x * tuning::image_tile_warps + threadIdx.x / 32);
  }

 private:
  __device__ tile_neighbours neighbours(std::uint32_t tile) const {
    return tile_neighbours(tile, wave_.across, wave_.work.tiles);
  }

  __device__ void visit(const scheduler::turn& at) {
    const auto& problem = wave_.problem;
    const auto tile = at.tile;
    const bool first = at.first;
    const tile_place place{tile / wave_.across * std::int64_t{keys::side},
                           tile % wave_.across * std::int64_t{keys::side}};
    const bool whole = wave_.vectors && place.y + keys::side <= problem.state.height &&
                       place.x + keys::side <= problem.state.width;
    const auto near = neighbours(tile);
    load(tile, near, place, whole, first);
    // After the wave is given up, a first visit only writes the tile.
    if (!schedule_.gave_up()) {
      schedule_.visited(settle(near, at));
      if (!changed_ && !first) return;
      wave_.rims.write(tile, rim_kind::state, lines_, lane_);
      wave_.rims.write(tile, rim_kind::threshold, limits_own_, lane_);
      wakes_ = raises();
    }
    store(place, whole);
    __syncwarp();
    publish_fence();
  }

  __device__ void load(std::uint32_t tile, const tile_neighbours& near, const tile_place& place, bool whole,
                       bool first) {
    const auto& problem = wave_.problem;
    __syncwarp();
    if (whole) {
      tile_vectors<Key> capacity, state;
      load_vectors<constant_pixels, pairs>(problem.capacity, place, lane_, capacity);
      if (first) {
        load_vectors<changing_pixels, pairs>(problem.start, place, lane_, state);
        begin(tile);
      } else {
        load_vectors<changing_pixels, pairs>(view<const Key>(problem.state), place, lane_, state);
      }
      pull(near);
      map_vectors(capacity, problem.map);
      map_vectors(state, problem.map);
      if (first) take_note(survey_vectors(state, capacity, problem.map));
      place_vectors(capacity, lane_, tile_.capacity());
      place_vectors(state, lane_, tile_.state());
    } else {
      if (first) begin(tile);
      pull(near);
      const auto found =
          load_pixels<pairs>(first ? problem.start : view<const Key>(problem.state), problem.capacity,
                             problem.map, place, lane_, tile_.state(), tile_.capacity());
      if (first) take_note(found);
    }
    __syncwarp();
    use_pulled();
    capacity_lines_ = outermost_lines<Key, pairs>(tile_.capacity(), axis::x, lane_);
    if constexpr (image_tile<Key, Diagonals>::twice)
      turn<Key>(tile_.capacity(), tile_.turned_capacity(), lane_);
    along_ = axis::x;
    sensor_.sum = ~0u;  // not a sum of keys: the first pass counts as a change
    changed_ = false;
  }

  __device__ void take_note(tile_survey<Key> found) {
    found.join_lanes();
    moves_ = found.moves();
    if (found.uneven()) schedule_.found_uneven();
    if (found.beyond()) schedule_.found_start_beyond();
  }

  /// Acquires the tile: rims published before are visible from here on.
  __device__ void begin(std::uint32_t tile) const {
    if (lane_ == 0) wave_.work.begin(tile);
    __syncwarp();
  }

  /// Starts loading the neighbours' rims. The pass between `pull` and `use_pulled` hides the latency.
  __device__ void pull(const tile_neighbours& near) {
    coming_ = wave_.rims.around(near, rim_kind::state, lane_);
    coming_limits_ = wave_.rims.around(near, rim_kind::threshold, lane_);
    if constexpr (Diagonals) {
      coming_corner_ = wave_.rims.corner(near, rim_kind::state, lane_);
      coming_corner_limit_ = wave_.rims.corner(near, rim_kind::threshold, lane_);
    }
  }
  __device__ void use_pulled() {
    around_ = coming_.arrived();
    limits_ = coming_limits_.arrived();
    corner_ = coming_corner_;
    corner_limit_ = coming_corner_limit_;
  }

  /// Runs passes until nothing changes and no rim can raise the tile, or up to the limit of a first visit.
  /// Returns the number of passes.
  __device__ unsigned settle(const tile_neighbours& near, const scheduler::turn& at) {
    unsigned passes = 0;
    const unsigned most = cuts && at.first ? most_passes(at.tile) : ~0u;
    bool run = at.first ? moves_ : cuts && at.unsettled;
    int needed = 2;
    for (;;) {
      while (run) {
        if (cuts && passes == most) {
          unsettled_ = true;
          break;
        }
        pull(near);
        const pass_effect did = one_pass();
        use_pulled();
        ++passes;
        if (did.rose) {
          changed_ = true;
          needed = did.again ? 2 : 1;
        } else if (--needed == 0) {
          run = false;
        }
      }
      lines_ = outermost_lines<Key, pairs>(tile_.state(), turns ? along_ : axis::x, lane_);
      limits_own_ = thresholds<Key>(lines_, capacity_lines_);
      if (cuts && unsettled_) break;
      const unsigned offers = offered();
      if (!offers) break;
      run = true;
      needed = Diagonals ? 2 : 1;
      // Where tiles are transposed, diagonals need a row pass before each column pass.
      if (!turns)
        along_ = offers == 2 ? axis::y : axis::x;
      else if (!Diagonals && offers == (along_ == axis::x ? 2 : 1))
        turn_state();
    }
    if (turns && along_ == axis::y) turn_state();  // the layout for stores
    return passes;
  }

  __device__ unsigned most_passes(std::uint32_t tile) const {
    const bool after = (tile / wave_.across + tile % wave_.across) % 2 != 0;  // see first_visit
    return after ? wave_.most_passes.after_neighbours : wave_.most_passes.before_neighbours;
  }

  __device__ pass_effect one_pass() {
    const axis along = along_;
    along_ = other(along);
    const bool rows = along == axis::x;
    using n = tile_neighbours;
    if constexpr (!turns) {
      if (!rows) return pass_columns(tile_, lane_, around_.top, around_.bottom, sensor_);
      return pass_rows(tile_, lane_, reaching_rows(around_.left, n::up_left, n::down_left),
                       reaching_rows(around_.right, n::up_right, n::down_right), sensor_);
    } else {
      line_ends<Key> ends{rows ? around_.left : around_.top, rows ? around_.right : around_.bottom};
      if (Diagonals && !rows) {
        ends.beside_before = beside<Key>(ends.before, end_of(n::up_left, n::up_right), lane_);
        ends.beside_after = beside<Key>(ends.after, end_of(n::down_left, n::down_right), lane_);
      }
      // The pass leaves its own axis settled, except for diagonal offers.
      return {pass(tile_, along, lane_, ends, sensor_), Diagonals && !rows};
    }
  }

  __device__ void turn_state() {
    turn<Key>(tile_.state(), tile_.state(), lane_);
    along_ = other(along_);
  }

  /// Offers of a line to the pixels that face it, with diagonals if enabled.
  __device__ word reaching(word line, word end) const {
    if constexpr (Diagonals)
      return keys::higher(line, keys::clean(beside<Key>(line, end, lane_)));
    else
      return line;
  }
  /// The same for a rim column between the corners `before` and `after`.
  __device__ word reaching_rows(word line, int before, int after) const {
    if constexpr (pairs == row_pairs::folded) {
      const Key a = __shfl_sync(all_lanes, corner_, before), b = __shfl_sync(all_lanes, corner_, after);
      return reaching_folded(line, lane_, a * 0x100u | b * 0x1000000u);
    } else {
      return reaching(line, end_of(before, after));
    }
  }
  __device__ word reaching_rows(word line) const {
    if constexpr (pairs == row_pairs::folded)
      return reaching_folded(line, lane_, 0);
    else
      return reaching(line, 0);
  }
  /// For a line between two corners: the corner before lane 0 and the one behind lane 31.
  __device__ word end_of(int before, int after) const {
    if constexpr (Diagonals) {
      const Key a = __shfl_sync(all_lanes, corner_, before), b = __shfl_sync(all_lanes, corner_, after);
      return keys::both(lane_ < 16 ? a : b);
    } else {
      return 0;
    }
  }

  /// Bit 0: rim columns can raise the tile; bit 1: rim rows can.
  __device__ unsigned offered() const {
    using n = tile_neighbours;
    const word x = keys::above(reaching_rows(around_.left, n::up_left, n::down_left), limits_own_.left) |
                   keys::above(reaching_rows(around_.right, n::up_right, n::down_right), limits_own_.right);
    const word y =
        keys::above(reaching(around_.top, end_of(n::up_left, n::up_right)), limits_own_.top) |
        keys::above(reaching(around_.bottom, end_of(n::down_left, n::down_right)), limits_own_.bottom);
    return __reduce_or_sync(all_lanes, (x ? 1u : 0u) | (y ? 2u : 0u));
  }

  /// A bit for every neighbour that the tile's lines can raise.
  __device__ unsigned raises() const {
    using n = tile_neighbours;
    const auto bit = [](word raised, int i) { return raised ? 1u << i : 0u; };
    unsigned bits = bit(keys::above(reaching(lines_.top, 0), limits_.top), n::up) |
                    bit(keys::above(reaching(lines_.bottom, 0), limits_.bottom), n::down) |
                    bit(keys::above(reaching_rows(lines_.left), limits_.left), n::left) |
                    bit(keys::above(reaching_rows(lines_.right), limits_.right), n::right);
    if constexpr (Diagonals) {
      const word top_first = __shfl_sync(all_lanes, lines_.top, 0),
                 top_last = __shfl_sync(all_lanes, lines_.top, 31);
      const word bottom_first = __shfl_sync(all_lanes, lines_.bottom, 0);
      const word bottom_last = __shfl_sync(all_lanes, lines_.bottom, 31);
      const Key own = lane_ == n::up_left     ? keys::first_key(top_first)
                      : lane_ == n::up_right  ? keys::last_key(top_last)
                      : lane_ == n::down_left ? keys::first_key(bottom_first)
                                              : keys::last_key(bottom_last);
      if (lane_ >= 4 && lane_ < 8 && own > corner_limit_) bits |= 1u << lane_;
    }
    return __reduce_or_sync(all_lanes, bits);
  }

  __device__ void store(const tile_place& place, bool whole) {
    const auto& problem = wave_.problem;
    if (!changed_ && !wave_.copies) return;
    if (whole)
      store_vectors<Key, pairs>(tile_.state(), problem.map, problem.state, place, lane_);
    else
      store_pixels<Key, pairs>(tile_.state(), problem.map, problem.state, place, lane_);
  }

  const image_wave<Key>& wave_;
  image_tile<Key, Diagonals>& tile_;
  scheduler schedule_;
  int lane_;

  // State of the current visit.
  change_sensor<Key> sensor_;
  bool moves_ = false, changed_ = false, unsettled_ = false;
  axis along_ = axis::x;  // of the next pass; if tiles are transposed, lines in shared memory run along it
  unsigned wakes_ = 0;
  rim_lines<Key> around_, limits_, lines_, limits_own_, capacity_lines_;
  arriving_lines<Key> coming_, coming_limits_;
  Key corner_ = 0, corner_limit_ = 0, coming_corner_ = 0, coming_corner_limit_ = 0;
};

/// `Blocks`: required number of resident blocks per multiprocessor.
template <class Key, bool Diagonals, int Blocks>
__global__ void __launch_bounds__(tuning::image_tile_warps * 32, Blocks)
    visit_image_tiles(const __grid_constant__ image_wave<Key> wave) {
  extern __shared__ uint4 shared[];
  auto* tiles = reinterpret_cast<image_tile<Key, Diagonals>*>(shared);
  image_worker<Key, Diagonals>(wave, tiles[threadIdx.x / 32]).run();
}

}  // namespace macareu::cuda::tiles
