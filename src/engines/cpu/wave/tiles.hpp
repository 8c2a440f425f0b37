// The tile engine. One thread at a time solves a tile in private memory, and only this owner writes it. The
// owner wakes a neighbour when the rim that faces it has changed.
//
// Memory order, so that no update is lost: a visit clears its tile's wake-ups (acquire), then reads rims. At
// the end it publishes states, then sets wake-ups (release). If a neighbour reads a rim too early, its
// wake-up is set after that read.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/neighbourhood.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/pixel_queue.hpp"
#include "engines/cpu/wave/sweep.hpp"
#include "engines/cpu/wave/tile.hpp"
#include "engines/cpu/wave/wave_image.hpp"
#include "engines/cpu/wave/worklist.hpp"

namespace macareu::cpu {

/// The wake-up word of a tile: one bit per direction in which a rim may have changed, and its state. A tile
/// is pushed when its word turns from quiet to awake, or by its visitor if it was woken during the visit. It
/// is never in the queue twice, and never while it is visited.
namespace wake {
constexpr std::uint32_t from(int dz, int dy, int dx) { return 1u << ((dz + 1) * 9 + (dy + 1) * 3 + dx + 1); }
inline constexpr std::uint32_t first = 1u << 27;    // not visited yet
inline constexpr std::uint32_t visited = 1u << 28;  // states are published
inline constexpr std::uint32_t busy = 1u << 29;     // being visited
inline constexpr std::uint32_t any_side = first - 1;
}  // namespace wake

template <class Key>
class tile_wave {
 public:
  tile_wave(const neighbourhood& near, const wave_image<Key>& image, tile_size size);

  const tile_grid& grid() const { return grid_; }
  worklist& waiting() { return waiting_; }
  bool all_visited() const { return visited_.load(std::memory_order_relaxed) == grid_.tiles(); }

  /// A thread's private memory and counters.
  class worker {
   public:
    explicit worker(tile_wave& wave);
    void visit(std::int64_t tile);

    std::int64_t visits = 0;
    std::int64_t passes() const { return tile_.passes; }
    /// Rows swept, plus the equivalent of the steps on single pixels.
    std::int64_t rows_of_work() const { return tile_.rows_swept + steps_ / tuning::steps_per_row; }

   private:
    static void load_row(void* self, int row);
    int row_of(int z, int y) const { return (z + 1) * (place_.height + 2) + y + 1; }
    Key* state_row(int row) { return tile_.state + row * tile_.pitch; }
    void prepare(std::int64_t tile, std::uint32_t wakes);
    void read_rim_rows(int dz, int dy, std::uint32_t wakes);
    void read_rim_columns(std::uint32_t wakes);
    void read_column(std::vector<Key>& halo, int dx);
    void mark_raisable(const std::vector<Key>& halo, int dx);
    void mark_region(int dz, int dy, std::uint8_t* due);
    void settle(std::uint32_t wakes);
    bool flood();
    void sweep_from_queue();
    void publish_rows();
    void publish_row(int z, int y);
    void publish_pixel(const raised_pixel<Key>& raised);
    void note_row(int z, int y, std::uint32_t ends);
    void note_pixel(const raised_pixel<Key>& raised);
    void wake_neighbours();

    tile_wave& wave_;
    const sweep_kernel<Key>& kernel_;
    std::vector<Key> states_, capacities_;
    std::vector<std::uint8_t> row_flags_;
    std::vector<Key> left_halo_, right_halo_;      // by row of the tile's numbering
    std::vector<Key> first_before_, last_before_;  // edge pixels as they were loaded
    pixel_queue<Key> queue_;
    std::int64_t steps_ = 0;
    std::uint32_t raisable_[3][3] = {};  // neighbours to wake, by dz and dy; bits by dx
    tile<Key> tile_{};
    tile_place place_{};
    site position_{};
    std::int64_t current_ = 0;
    bool starting_ = false;
    int rows_ = 0;
  };

 private:
  /// Left and right columns of every tile: gathering them from the image would be slow. Neighbours read the
  /// states (relaxed atomics). Only the owner reads the capacities.
  struct columns {
    std::unique_ptr<Key[]> state, capacity;
  };
  Key* column(const columns& side, std::int64_t tile) const {
    return side.state.get() + tile * column_length_;
  }
  Key* column_capacity(const columns& side, std::int64_t tile) const {
    return side.capacity.get() + tile * column_length_;
  }
  bool is_visited(std::int64_t tile) const {
    return tile >= 0 && (wakes_[tile].load(std::memory_order_acquire) & wake::visited) != 0;
  }

  neighbourhood near_;
  const wave_image<Key>& image_;
  tile_grid grid_;
  std::int64_t column_length_;
  columns left_, right_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> wakes_;
  std::atomic<std::int64_t> visited_{0};
  worklist waiting_;
};

}  // namespace macareu::cpu
