#include "engines/cpu/basins/run_basins.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <macareu/error.hpp>

#include "engines/cpu/basins/basin_tile.hpp"
#include "engines/cpu/runtime/threads.hpp"
#include "engines/cpu/runtime/units.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/rim_numbering.hpp"
#include "patterns/basins.hpp"

namespace macareu::cpu {
namespace {

/// A pixel of a front. The row is one of all slices, so that images need no division.
struct front_pixel {
  std::uint32_t row, x;
};
struct seed_pixel {
  std::uint32_t steps;
  front_pixel at;
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
    for (int k = 0; k < order_.count; ++k) {
      const auto& step = order_.steps[static_cast<std::size_t>(k)];
      offset_[static_cast<std::size_t>(k)] = (step.dz * passes.height + step.dy) * passes.width + step.dx;
    }
  }

  void run() {
    work_.report.threads = threads_;
    over_tiles([&](basin_tile<Key>& tile, std::size_t index) { solve_alone(tile, index); });
    correct();
    number_rims();
    over_tiles([&](basin_tile<Key>& tile, std::size_t index) {
      if (!is_outside_[index]) find_parents(tile);
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
  static constexpr Key top = static_cast<Key>(~Key{0});
  static constexpr std::uint64_t goes_on = std::uint64_t{1} << 63;  // of rims_: the number of the next one

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

  void solve_alone(basin_tile<Key>& tile, std::size_t index) {
    is_outside_[index] = tile.is_outside(seeds_);
    if (is_outside_[index]) return fill(tile, steps_, basin::never);
    tile.load_passes(passes_);
    tile.solve(seeds_);
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t first, std::int64_t width) {
      std::copy_n(&tile.steps(first), width, steps_.at(z, y) + tile.place().first.x);
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
        const bool all = y == 0 || y == place.height - 1 || place.width == 1 ||
                         (near_.rank == 3 && (z == 0 || z == place.depth - 1));
        for (std::int64_t x = 0; x < place.width; x += all ? 1 : place.width - 1)
          visit(first + site{z, y, x});
      }
  }

  std::uint32_t load_steps(std::int64_t at) const {
    return std::atomic_ref<std::uint32_t>(steps_.data[at]).load(std::memory_order_relaxed);
  }
  void store_steps(std::int64_t at, std::uint32_t steps) const {
    std::atomic_ref<std::uint32_t>(steps_.data[at]).store(steps, std::memory_order_relaxed);
  }
  std::int64_t index_of(site p) const { return (p.z * passes_.height + p.y) * passes_.width + p.x; }

  /// Pixels on rims that a neighbour in another tile improves.
  std::vector<seed_pixel> improved_rims() {
    std::vector<std::vector<seed_pixel>> found(static_cast<std::size_t>(threads_));
    over_units(work_, threads_, grid_.tiles(), 1, [&](int thread, std::int64_t index) {
      const auto place = grid_.place(index);
      const auto begin = place.first, end = begin + site{place.depth, place.height, place.width};
      over_rim(place, [&](site p) {
        const auto own = index_of(p);
        const auto before = load_steps(own);
        if (before == 0) return;
        auto least = before;
        for (const auto& step : order_) {
          const site q{p.z + step.dz, p.y + step.dy, p.x + step.dx};
          const bool same =
              q.z >= begin.z && q.z < end.z && q.y >= begin.y && q.y < end.y && q.x >= begin.x && q.x < end.x;
          if (same || !passes_.contains(q)) continue;
          const auto other = index_of(q);
          const auto steps = load_steps(other);
          if (steps != basin::never && steps + 1 < least && passes_.data[other] == passes_.data[own])
            least = steps + 1;
        }
        if (least == before || is_outside(own)) return;
        store_steps(own, least);
        found[static_cast<std::size_t>(thread)].push_back(
            {least,
             {static_cast<std::uint32_t>(p.z * passes_.height + p.y), static_cast<std::uint32_t>(p.x)}});
      });
    });
    auto all = std::move(found[0]);
    for (std::size_t i = 1; i < found.size(); ++i) all.insert(all.end(), found[i].begin(), found[i].end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.steps < b.steps; });
    return all;
  }

  /// Only pixels of the highest L may lie outside the mask.
  bool is_outside(std::int64_t at) const {
    return passes_.data[at] == top && seeds_.data[at] == basin::outside;
  }

  void correct() {
    const auto improved = improved_rims();
    std::vector<front_pixel> front;
    std::vector<std::vector<front_pixel>> next(static_cast<std::size_t>(threads_));
    auto joins = improved.begin();
    std::uint32_t steps = 0;
    for (std::int64_t fronts = 0; !front.empty() || joins != improved.end(); ++fronts, ++steps) {
      if (fronts % 256 == 0) work_.check_stop();
      if (front.empty()) steps = joins->steps;
      for (; joins != improved.end() && joins->steps == steps; ++joins) front.push_back(joins->at);
      const auto size = static_cast<std::int64_t>(front.size());
      if (size < tuning::basin_front_shared || threads_ == 1) {
        for (const auto p : front) relax(p, steps, next[0]);
      } else {
        std::atomic<std::int64_t> drawn{0};
        parallel(threads_, [&](int thread) {
          constexpr std::int64_t batch = 1024;
          for (std::int64_t begin; (begin = drawn.fetch_add(batch, std::memory_order_relaxed)) < size;)
            for (auto i = begin; i < std::min(size, begin + batch); ++i)
              relax(front[static_cast<std::size_t>(i)], steps, next[static_cast<std::size_t>(thread)]);
        });
      }
      front.clear();
      std::swap(front, next[0]);
      for (std::size_t i = 1; i < next.size(); ++i) {
        front.insert(front.end(), next[i].begin(), next[i].end());
        next[i].clear();
      }
    }
  }

  /// Two threads may both improve a pixel, to the same value: it is in the next front twice then.
  void relax(front_pixel at, std::uint32_t steps, std::vector<front_pixel>& next) const {
    const auto p = std::int64_t{at.row} * passes_.width + at.x;
    if (load_steps(p) != steps) return;
    const Key own = passes_.data[p];
    const auto improve = [&](std::int64_t q, const tie_order::step& step) {
      if (load_steps(q) <= steps + 1 || passes_.data[q] != own || is_outside(q)) return;
      store_steps(q, steps + 1);
      next.push_back({static_cast<std::uint32_t>(at.row + step.dz * passes_.height + step.dy),
                      static_cast<std::uint32_t>(at.x + step.dx)});
    };
    const std::int64_t height = passes_.height, z = near_.rank == 3 ? at.row / height : 0,
                       y = at.row - z * height, x = at.x;
    const bool inner = x > 0 && x + 1 < passes_.width && y > 0 && y + 1 < height &&
                       (near_.rank == 2 || (z > 0 && z + 1 < passes_.depth));
    for (int k = 0; k < order_.count; ++k) {
      const auto& step = order_.steps[static_cast<std::size_t>(k)];
      if (inner || passes_.contains({z + step.dz, y + step.dy, x + step.dx}))
        improve(p + offset_[static_cast<std::size_t>(k)], step);
    }
  }

  void number_rims() {
    std::uint64_t count = 0;
    for (std::int64_t i = 0; i < grid_.tiles(); ++i) {
      first_on_rim_.push_back(count);
      count += static_cast<std::uint64_t>(rim_numbering(grid_.place(i), near_.rank == 3).count());
    }
    rims_.resize(count);
  }

  /// The number of a pixel on the rim of its tile.
  std::uint64_t rim_number(site p) const {
    const auto& size = grid_.size();
    const auto tile =
        (p.z / size.depth * grid_.count().y + p.y / size.height) * grid_.count().x + p.x / size.width;
    const auto place = grid_.place(tile);
    const site q = p - place.first;
    return first_on_rim_[static_cast<std::size_t>(tile)] +
           static_cast<std::uint64_t>(
               rim_numbering(place, near_.rank == 3)
                   .index(static_cast<int>(q.z), static_cast<int>(q.y), static_cast<int>(q.x)));
  }

  void find_parents(basin_tile<Key>& tile) {
    tile.load_passes(passes_);
    tile.load_steps(steps_);
    tile.find_parents(seeds_);
    const auto first = tile.place().first;
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t begin, std::int64_t width) {
      std::copy_n(&tile.direction(begin), width, directions_.at(z, y) + first.x);
    });
    auto number = rim_number(first);
    over_rim(tile.place(), [&](site p) {
      const site q = p - first, end = tile.site_of(tile.end_of(tile.at(q.z, q.y, q.x)));
      const auto seed = seeds_[first + end];
      rims_[number++] = !tile.contains(end)      ? rim_number(first + end) | goes_on
                        : seed == basin::outside ? 0
                                                 : seed;
    });
  }

  void join_rims() {
    std::vector<std::uint64_t> path;
    for (std::uint64_t i = 0; i < rims_.size(); ++i) {
      auto p = i;
      for (path.clear(); rims_[p] & goes_on; p = rims_[p] & ~goes_on) path.push_back(p);
      for (const auto q : path) rims_[q] = rims_[p];
    }
  }

  void write_labels(basin_tile<Key>& tile) {
    const auto first = tile.place().first;
    tile.for_each_around([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      const auto at = tile.at(z, y, x);
      tile.direction(at) = basin_tile<Key>::is_end;
      tile.label(at) = static_cast<std::uint32_t>(rims_[rim_number(first + site{z, y, x})]);
    });
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t begin, std::int64_t width) {
      std::copy_n(directions_.at(z, y) + first.x, width, &tile.direction(begin));
    });
    tile.follow_parents(seeds_);
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t begin, std::int64_t width) {
      over_row(
          {z, y, first.x}, width,
          [&](std::int64_t x, std::uint32_t& to) { to = tile.label(begin + static_cast<std::uint32_t>(x)); },
          labels_);
    });
  }

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
  std::vector<std::uint64_t> rims_, first_on_rim_;
};

}  // namespace

template <class Key>
void run_basins(job& work, const neighbourhood& near, const view<std::uint32_t>& labels,
                const view<const Key>& passes, const view<const std::uint32_t>& seeds) {
  if (passes.depth * passes.height > std::numeric_limits<std::uint32_t>::max() ||
      passes.width > std::numeric_limits<std::uint32_t>::max())
    throw usage_error("watershed: the image has too many rows for memory; compute it in pieces");
  basin_run<Key>(work, near, labels, passes, seeds).run();
}

template void run_basins(job&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint8_t>&, const view<const std::uint32_t>&);
template void run_basins(job&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint16_t>&, const view<const std::uint32_t>&);
template void run_basins(job&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint32_t>&, const view<const std::uint32_t>&);
template void run_basins(job&, const neighbourhood&, const view<std::uint32_t>&,
                         const view<const std::uint64_t>&, const view<const std::uint32_t>&);

}  // namespace macareu::cpu
