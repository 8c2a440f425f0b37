// State of a watershed on the cpu (run_basins.hpp), the helpers that its stages share, and the first stage:
// tiles find d and parents apart.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engines/cpu/basins/basin_tile.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/rim_numbering.hpp"
#include "patterns/basins.hpp"

namespace macareu::cpu {

/// A pixel of a tile: z, y and x, ten bits each. Those of a pixel and a step add up to that of its neighbour.
using local_pixel = std::uint32_t;
constexpr local_pixel packed(site p) { return static_cast<local_pixel>((p.z * 1024 + p.y) * 1024 + p.x); }
constexpr site unpacked(local_pixel p) { return {p >> 20, p >> 10 & 1023, p & 1023}; }

/// d of a pixel has fallen, and its neighbours are not corrected yet.
struct improved_pixel {
  std::uint32_t steps;
  local_pixel at;
};
/// Of another tile than the one that improves it.
struct offered_pixel {
  std::uint32_t steps;
  site at;
};
/// Of one tile, and the round it waits for.
struct improved_pixels {
  std::vector<improved_pixel> pixels;
  std::uint32_t round = basin::never;
};

template <class Key>
class basin_run {
 public:
  basin_run(job& work, const neighbourhood& near, const view<std::uint32_t>& labels,
            const view<const Key>& passes, const view<const std::uint32_t>& seeds)
      : work_(work),
        near_(near),
        order_(near),
        labels_(labels),
        passes_(passes),
        seeds_(seeds),
        grid_(passes.depth, passes.height, passes.width, fitting_tile(near, passes)),
        threads_(threads_for(passes.pixels(), work.how.threads)),
        directions_memory_(passes.depth, passes.height, passes.width),
        directions_(directions_memory_),
        is_outside_(static_cast<std::size_t>(grid_.tiles())) {
    if (is_packed(labels)) {
      steps_ = labels;  // until labels are written: new memory takes longer than some of the work
    } else {
      steps_memory_.emplace(passes.depth, passes.height, passes.width);
      steps_ = *steps_memory_;
    }
    for (int i = 0; i < threads_; ++i) tiles_.push_back(std::make_unique<basin_tile<Key>>(near));
    improved_.resize(static_cast<std::size_t>(grid_.tiles()));
    for (int k = 0; k < order_.count; ++k) {
      const auto& step = order_.steps[static_cast<std::size_t>(k)];
      offset_[static_cast<std::size_t>(k)] = (step.dz * passes.height + step.dy) * passes.width + step.dx;
      packed_offset_[static_cast<std::size_t>(k)] = packed({step.dz, step.dy, step.dx});
    }
  }

  void run() {
    work_.report.threads = threads_;
    number_rims();
    over_tiles([&](basin_tile<Key>& tile, std::size_t index) { solve_alone(tile, index); });
    correct();
    over_tiles([&](basin_tile<Key>& tile, std::size_t index) {
      if (is_outside_[index]) return;
      complete_parents(tile);
      find_ends(tile);
    });
    join_rims();
    over_tiles([&](basin_tile<Key>& tile, std::size_t index) {
      if (is_outside_[index])
        fill(tile, labels_, 0);
      else
        write_labels(tile);
    });
  }

 private:
  struct rim_pixel {
    Key pass;
    std::uint32_t steps;
  };
  static constexpr std::uint32_t closed = basin::never - 1;  // of their steps: outside the mask
  static constexpr Key top = static_cast<Key>(~Key{0});
  static constexpr std::uint64_t goes_on = std::uint64_t{1} << 63;  // of rims_: the number of the next one
  /// Of directions: not found yet, because neighbours are in another tile; and to be found again, with those
  /// of all neighbours, because d was corrected.
  static constexpr std::uint8_t is_unknown = 29, is_corrected = 30;

  static tile_size fitting_tile(const neighbourhood& near, const view<const Key>& image) {
    const auto most = near.rank == 3 ? tuning::basin_volume_tile : tuning::basin_image_tile;
    const auto at_most = [](int size, std::int64_t limit) {
      return static_cast<int>(std::min<std::int64_t>(size, limit));
    };
    return {at_most(most.width, image.width), at_most(most.height, image.height),
            at_most(most.depth, image.depth)};
  }

  /// visit(tile, index) for all tiles.
  template <class Visit>
  void over_tiles(const Visit& visit) {
    over_units(work_, threads_, grid_.tiles(), 1, [&](int thread, std::int64_t index) {
      auto& tile = *tiles_[static_cast<std::size_t>(thread)];
      tile.move_to(grid_.place(index), {passes_.depth, passes_.height, passes_.width});
      visit(tile, static_cast<std::size_t>(index));
    });
  }

  static bool is_packed(const view<std::uint32_t>& image) {
    return image.step_x == 1 && image.step_y == image.width &&
           (image.depth == 1 || image.step_z == image.height * image.width);
  }

  static void fill(const basin_tile<Key>& tile, const view<std::uint32_t>& image, std::uint32_t value) {
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t, std::int64_t width) {
      over_row(
          {z, y, tile.place().first.x}, width, [&](std::int64_t, std::uint32_t& to) { to = value; }, image);
    });
  }

  /// Parents too, except on the rim: most are final, and all they need is in the cache.
  void solve_alone(basin_tile<Key>& tile, std::size_t index) {
    is_outside_[index] = tile.is_outside(seeds_);
    if (is_outside_[index]) {
      const auto rim = rim_pixels_.begin() + static_cast<std::ptrdiff_t>(first_on_rim_[index]);
      std::fill_n(rim, rim_numbering(tile.place(), near_.rank == 3).count(), rim_pixel{top, closed});
      return over_rim(tile.place(), [&](site p) { steps_.data[index_of(p)] = basin::never; });
    }
    tile.load_passes(passes_);
    tile.solve(seeds_);
    tile.find_parents(seeds_);
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t first, std::int64_t width) {
      if (y + tuning::tile_rows_prefetched < passes_.height)
        fetch_row_to_write(steps_.at(z, y + tuning::tile_rows_prefetched) + tile.place().first.x, width);
      std::copy_n(&tile.steps(first), width, steps_.at(z, y) + tile.place().first.x);
    });
    const auto first = tile.place().first;
    auto number = first_on_rim_[index];
    over_rim(tile.place(), [&](site p) {
      const site q = p - first;
      const auto at = tile.at(q.z, q.y, q.x);
      const bool outside = tile.direction(at) == basin_tile<Key>::is_none;
      if (!outside) tile.direction(at) = is_unknown;
      rim_pixels_[number++] = {tile.pass(at), outside ? closed : tile.steps(at)};
    });
    write_directions(tile);
  }

  void write_directions(basin_tile<Key>& tile) {
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t first, std::int64_t width) {
      std::copy_n(&tile.direction(first), width, directions_.at(z, y) + tile.place().first.x);
    });
  }

  /// visit(z, y, index of the first pixel in the tile, pixels) for the rows of a tile.
  template <class Visit>
  static void over_rows(const basin_tile<Key>& tile, const Visit& visit) {
    const auto& place = tile.place();
    for (std::int64_t z = 0; z < place.depth; ++z)
      for (std::int64_t y = 0; y < place.height; ++y)
        visit(place.first.z + z, place.first.y + y, tile.at(z, y, 0), std::int64_t{place.width});
  }

  /// visit(z, y, x) in the image, for the pixels of a tile that have neighbours in others.
  template <class Visit>
  void over_rim(const tile_place& place, const Visit& visit) const {
    const auto first = place.first;
    for (std::int64_t z = 0; z < place.depth; ++z)
      for (std::int64_t y = 0; y < place.height; ++y) {
        const bool all = place.width == 1 || is_whole_on_rim(place, z, y);
        for (std::int64_t x = 0; x < place.width; x += all ? 1 : place.width - 1)
          visit(first + site{z, y, x});
      }
  }
  bool is_whole_on_rim(const tile_place& place, std::int64_t z, std::int64_t y) const {
    return y == 0 || y == place.height - 1 || (near_.rank == 3 && (z == 0 || z == place.depth - 1));
  }

  std::uint32_t load_steps(std::int64_t at) const {
    return std::atomic_ref<std::uint32_t>(steps_.data[at]).load(std::memory_order_relaxed);
  }
  /// Of a pixel whose parent, and those of its neighbours, are to be found again.
  void store_steps(std::int64_t at, std::uint32_t steps) const {
    std::atomic_ref<std::uint32_t>(steps_.data[at]).store(steps, std::memory_order_relaxed);
    directions_.data[at] = is_corrected;
  }
  std::int64_t index_of(site p) const { return (p.z * passes_.height + p.y) * passes_.width + p.x; }

  /// Only pixels of the highest L may lie outside the mask.
  bool is_outside(std::int64_t at) const {
    return passes_.data[at] == top && seeds_.data[at] == basin::outside;
  }

  static bool contains(const tile_place& place, site p) {
    const site q = p - place.first;
    return q.z >= 0 && q.z < place.depth && q.y >= 0 && q.y < place.height && q.x >= 0 && q.x < place.width;
  }

  // basin_corrections.hpp
  std::vector<std::vector<offered_pixel>> offers_across();
  void correct();
  void take(std::vector<std::vector<offered_pixel>>& offers);
  void wait_for_round(std::int64_t tile, std::uint32_t steps);
  void correct_tile(std::int64_t tile, std::uint64_t end, std::vector<improved_pixel>& queue,
                    std::vector<offered_pixel>& offers);

  void number_rims() {
    std::uint64_t count = 0;
    for (std::int64_t i = 0; i < grid_.tiles(); ++i) {
      first_on_rim_.push_back(count);
      count += static_cast<std::uint64_t>(rim_numbering(grid_.place(i), near_.rank == 3).count());
    }
    rims_.resize(count);
    rim_pixels_.resize(count);
  }

  std::int64_t tile_of(site p) const {
    const auto& size = grid_.size();
    return (p.z / size.depth * grid_.count().y + p.y / size.height) * grid_.count().x + p.x / size.width;
  }

  /// Numbers of the pixels on a tile's own rim and on those beside it.
  class rim_numbers {
   public:
    rim_numbers(const basin_run& of, const tile_place& place) : place_(place) {
      const bool volume = of.near_.rank == 3;
      const auto position = of.grid_.position(of.tile_of(place.first));
      for (int dz = -volume; dz <= volume; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) {
            const auto tile = of.grid_.neighbour(position, dz, dy, dx);
            if (tile < 0) continue;
            const auto beside = of.grid_.place(tile);
            rims_[index_of(dz, dy, dx)].emplace(rim{rim_numbering(beside, volume), beside.first - place.first,
                                                    of.first_on_rim_[static_cast<std::size_t>(tile)]});
          }
    }
    /// Of a pixel relative to the tile.
    std::uint64_t operator()(site p) const {
      const auto& of =
          *rims_[index_of(side(p.z, place_.depth), side(p.y, place_.height), side(p.x, place_.width))];
      const site q = p - of.origin;
      return of.first + static_cast<std::uint64_t>(of.numbering.index(
                            static_cast<int>(q.z), static_cast<int>(q.y), static_cast<int>(q.x)));
    }

   private:
    struct rim {
      rim_numbering numbering;
      site origin;  // relative to the tile
      std::uint64_t first;
    };
    static int side(std::int64_t at, int size) { return at < 0 ? -1 : at >= size; }
    static std::size_t index_of(int dz, int dy, int dx) {
      return static_cast<std::size_t>((dz * 3 + dy) * 3 + dx + 13);
    }

    tile_place place_;
    std::array<std::optional<rim>, 27> rims_;
  };

  // basin_labels.hpp
  std::uint8_t parent_of(site p) const;
  void complete_parents(basin_tile<Key>& tile);
  void load_directions(basin_tile<Key>& tile);
  void find_marked_parents(basin_tile<Key>& tile, const std::vector<bit_word>& corrected);
  void find_ends(basin_tile<Key>& tile);
  void join_rims();
  void write_labels(basin_tile<Key>& tile);

  job& work_;
  neighbourhood near_;
  tie_order order_;
  view<std::uint32_t> labels_;
  view<const Key> passes_;
  view<const std::uint32_t> seeds_;
  tile_grid grid_;
  int threads_;
  std::optional<buffer<std::uint32_t>> steps_memory_;
  buffer<std::uint8_t> directions_memory_;
  view<std::uint32_t> steps_;
  view<std::uint8_t> directions_;
  std::vector<std::uint8_t> is_outside_;                 // of tiles: no pixel is inside the mask
  std::vector<std::unique_ptr<basin_tile<Key>>> tiles_;  // of the threads
  std::array<std::int64_t, 26> offset_{};
  std::array<local_pixel, 26> packed_offset_{};
  std::vector<improved_pixels> improved_;                      // of tiles
  std::map<std::uint32_t, std::vector<std::int64_t>> rounds_;  // tiles that wait for them
  std::vector<std::uint64_t> rims_, first_on_rim_;
  std::vector<rim_pixel> rim_pixels_;  // until d is corrected: columns of an image are slow to read
};

}  // namespace macareu::cpu
