#include "engines/cpu/basins/run_basins.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
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

/// A pixel of a tile: z, y and x, ten bits each.
using local_pixel = std::uint32_t;
constexpr local_pixel packed(site p) { return static_cast<local_pixel>(p.z << 20 | p.y << 10 | p.x); }
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

  /// What pixels on rims get from neighbours in other tiles.
  std::vector<std::vector<offered_pixel>> offers_across() {
    std::vector<std::vector<offered_pixel>> found(static_cast<std::size_t>(threads_));
    over_units(work_, threads_, grid_.tiles(), 1, [&](int thread, std::int64_t index) {
      if (is_outside_[static_cast<std::size_t>(index)]) return;
      const auto place = grid_.place(index);
      const rim_numbers number_of(*this, place);
      auto number = first_on_rim_[static_cast<std::size_t>(index)];
      over_rim(place, [&](site p) {
        const auto own = rim_pixels_[number++];
        if (own.steps == 0 || own.steps == closed) return;
        auto least = own.steps;
        for (const auto& step : order_) {
          const site q{p.z + step.dz, p.y + step.dy, p.x + step.dx};
          if (contains(place, q) || !passes_.contains(q)) continue;
          const auto other = rim_pixels_[number_of(q - place.first)];
          if (other.steps < closed && other.steps + 1 < least && other.pass == own.pass)
            least = other.steps + 1;
        }
        if (least != own.steps) found[static_cast<std::size_t>(thread)].push_back({least, p});
      });
    });
    std::vector<rim_pixel>().swap(rim_pixels_);
    return found;
  }

  /// Corrects d in rounds. A round is a window of d: a tile corrects its own pixels up to the end of the
  /// window, and offers d to pixels of other tiles. So few pixels are corrected twice, and those of a tile
  /// stay in the cache.
  void correct() {
    auto offers = offers_across();
    take(offers);
    std::vector<std::vector<improved_pixel>> queues(static_cast<std::size_t>(threads_));
    std::vector<std::int64_t> due;
    for (std::int64_t count = 0; !rounds_.empty(); ++count) {
      if (count % 256 == 0) work_.check_stop();
      const auto round = rounds_.begin()->first;
      due.clear();
      for (const auto tile : rounds_.begin()->second)  // also tiles that were due in an earlier round
        if (auto& of = improved_[static_cast<std::size_t>(tile)].round; of == round) {
          of = basin::never;
          due.push_back(tile);
        }
      rounds_.erase(rounds_.begin());
      const auto tiles = static_cast<std::int64_t>(due.size());
      const auto correct_one = [&](std::size_t thread, std::int64_t i) {
        correct_tile(due[static_cast<std::size_t>(i)], (std::uint64_t{round} + 1) * tuning::basin_window,
                     queues[thread], offers[thread]);
      };
      if (tiles < tuning::basin_tiles_shared || threads_ == 1) {
        for (std::int64_t i = 0; i < tiles; ++i) correct_one(0, i);
      } else {
        std::atomic<std::int64_t> drawn{0};
        parallel(threads_, [&](int thread) {
          for (std::int64_t i; (i = drawn.fetch_add(1, std::memory_order_relaxed)) < tiles;)
            correct_one(static_cast<std::size_t>(thread), i);
        });
      }
      for (const auto tile : due)
        for (const auto& each : improved_[static_cast<std::size_t>(tile)].pixels)
          wait_for_round(tile, each.steps);
      take(offers);
    }
  }

  /// Takes the offers that improve a pixel, and empties their lists.
  void take(std::vector<std::vector<offered_pixel>>& offers) {
    for (auto& list : offers) {
      for (const auto& offer : list) {
        const auto at = index_of(offer.at);
        if (steps_.data[at] <= offer.steps) continue;
        store_steps(at, offer.steps);
        const auto tile = tile_of(offer.at);
        const site p = offer.at - grid_.place(tile).first;
        improved_[static_cast<std::size_t>(tile)].pixels.push_back({offer.steps, packed(p)});
        wait_for_round(tile, offer.steps);
      }
      list.clear();
    }
  }

  void wait_for_round(std::int64_t tile, std::uint32_t steps) {
    auto& earliest = improved_[static_cast<std::size_t>(tile)].round;
    const auto round = steps / tuning::basin_window;
    if (round >= earliest) return;
    earliest = round;
    rounds_[round].push_back(tile);
  }

  /// Both the pixels that are due and those that follow from them are in ascending order of d, so inside a
  /// tile no pixel is corrected twice in a round.
  void correct_tile(std::int64_t tile, std::uint64_t end, std::vector<improved_pixel>& queue,
                    std::vector<offered_pixel>& offers) {
    const auto place = grid_.place(tile);
    const auto origin = index_of(place.first);
    auto& later = improved_[static_cast<std::size_t>(tile)].pixels;
    const auto first_later =
        std::partition(later.begin(), later.end(), [&](const auto& each) { return each.steps < end; });
    queue.assign(later.begin(), first_later);
    later.erase(later.begin(), first_later);
    std::sort(queue.begin(), queue.end(), [](const auto& a, const auto& b) { return a.steps < b.steps; });
    const auto offered = queue.size();
    std::size_t next = 0, head = offered;
    while (next < offered || head < queue.size()) {
      const bool first = head == queue.size() || (next < offered && queue[next].steps <= queue[head].steps);
      const auto [before, packed_at] = queue[first ? next++ : head++];
      const site p = unpacked(packed_at);
      const auto at = origin + index_of(p);
      if (steps_.data[at] != before) continue;
      const Key own = passes_.data[at];
      const auto steps = before + 1;
      const bool inner = p.x > 0 && p.x + 1 < place.width && p.y > 0 && p.y + 1 < place.height &&
                         (near_.rank == 2 || (p.z > 0 && p.z + 1 < place.depth));
      for (int k = 0; k < order_.count; ++k) {
        const auto& step = order_.steps[static_cast<std::size_t>(k)];
        const site q{p.z + step.dz, p.y + step.dy, p.x + step.dx};
        if (!inner && !passes_.contains(place.first + q)) continue;
        const auto to = at + offset_[static_cast<std::size_t>(k)];
        if (load_steps(to) <= steps || passes_.data[to] != own || is_outside(to)) continue;
        if (!inner && !contains(place, place.first + q)) {
          offers.push_back({steps, place.first + q});
          continue;
        }
        store_steps(to, steps);
        (steps < end ? queue : later).push_back({steps, packed(q)});
      }
    }
  }

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

  /// The parent's direction, from the images.
  std::uint8_t parent_of(site p) const {
    const auto at = index_of(p);
    const auto seed = seeds_.data[at];
    if (seed == basin::outside) return basin_tile<Key>::is_none;
    std::uint8_t best = basin_tile<Key>::is_end;
    if (seed != 0 || steps_.data[at] == basin::never) return best;
    Key least = passes_.data[at];
    std::uint32_t since = steps_.data[at];
    for (int k = 0; k < order_.count; ++k) {
      const auto& step = order_.steps[static_cast<std::size_t>(k)];
      if (!passes_.contains({p.z + step.dz, p.y + step.dy, p.x + step.dx})) continue;
      const auto other = at + offset_[static_cast<std::size_t>(k)];
      const Key pass = passes_.data[other];
      const auto steps = steps_.data[other];
      if (pass > least || (pass == least && steps >= since)) continue;
      least = pass;
      since = steps;
      best = static_cast<std::uint8_t>(k);
    }
    return best;
  }

  const std::uint8_t* directions_row(const tile_place& place, std::int64_t z, std::int64_t y) const {
    return directions_.at(place.first.z + z, place.first.y + y) + place.first.x;
  }

  /// How many pixels of every row were corrected.
  std::vector<int> corrected_in_rows(const tile_place& place) const {
    std::vector<int> counts;
    for (std::int64_t z = 0; z < place.depth; ++z)
      for (std::int64_t y = 0; y < place.height; ++y) {
        const std::uint8_t* const row = directions_row(place, z, y);
        int count = 0;
        for (int begin = 0; begin < place.width; begin += 128) {
          std::uint8_t part = 0;  // narrow, for wider vectors
          for (int x = begin; x < std::min(begin + 128, place.width); ++x) part += row[x] == is_corrected;
          count += part;
        }
        counts.push_back(count);
      }
    return counts;
  }

  /// Loads the directions of a tile, after those that are unknown or wrong were found.
  void complete_parents(basin_tile<Key>& tile) {
    const auto& place = tile.place();
    const auto corrected = corrected_in_rows(place);
    const auto all = std::accumulate(corrected.begin(), corrected.end(), 0);
    if (all > place.depth * place.height * place.width / tuning::basin_share_again) {
      tile.load_passes(passes_);
      tile.load_steps(steps_);
      tile.find_parents(seeds_);
    } else {
      load_directions(tile);
      find_marked_parents(tile, corrected);
    }
    write_directions(tile);
  }

  void load_directions(basin_tile<Key>& tile) {
    tile.for_each_around([&](std::int64_t z, std::int64_t y, std::int64_t x) {
      tile.direction(tile.at(z, y, x)) = basin_tile<Key>::is_end;
    });
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t begin, std::int64_t width) {
      std::copy_n(directions_.at(z, y) + tile.place().first.x, width, &tile.direction(begin));
    });
  }

  void find_marked_parents(basin_tile<Key>& tile, const std::vector<int>& corrected) {
    const auto& place = tile.place();
    std::vector<std::uint8_t> near(static_cast<std::size_t>(place.width) + 2);  // in this row or beside it
    for (std::int64_t z = 0; z < place.depth; ++z)
      for (std::int64_t y = 0; y < place.height; ++y) {
        bool any = false;
        for (auto v = std::max<std::int64_t>(0, z - 1); v < std::min<std::int64_t>(place.depth, z + 2); ++v)
          for (auto w = std::max<std::int64_t>(0, y - 1); w < std::min<std::int64_t>(place.height, y + 2);
               ++w) {
            if (corrected[static_cast<std::size_t>(v * place.height + w)] == 0) continue;
            if (!any) std::fill(near.begin(), near.end(), std::uint8_t{0});
            any = true;
            const std::uint8_t* const row = directions_row(place, v, w);
            for (int x = 0; x < place.width; ++x)
              near[static_cast<std::size_t>(x) + 1] |= row[x] == is_corrected;
          }
        const std::uint8_t* const own = directions_row(place, z, y);
        const auto find = [&](std::int64_t x) {
          tile.direction(tile.at(z, y, x)) = parent_of(place.first + site{z, y, x});
        };
        if (any) {
          for (std::int64_t x = 0; x < place.width; ++x)
            if (const auto* at = &near[static_cast<std::size_t>(x)];
                (at[0] | at[1] | at[2]) || own[x] >= is_unknown)
              find(x);
        } else {
          const auto step = is_whole_on_rim(place, z, y) ? 1 : std::max(1, place.width - 1);
          for (std::int64_t x = 0; x < place.width; x += step)
            if (own[x] == is_unknown) find(x);
        }
      }
  }

  /// The ends of paths from the rim.
  void find_ends(basin_tile<Key>& tile) {
    const auto first = tile.place().first;
    const rim_numbers number_of(*this, tile.place());
    auto number = number_of({0, 0, 0});
    over_rim(tile.place(), [&](site p) {
      const site q = p - first;
      const auto at = tile.at(q.z, q.y, q.x);
      if (tile.direction(at) == basin_tile<Key>::is_none) {
        rims_[number++] = 0;
        return;
      }
      const site end = tile.site_of(tile.end_of(at));
      rims_[number++] = tile.contains(end) ? seeds_[first + end] : number_of(end) | goes_on;
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
    const rim_numbers number_of(*this, tile.place());
    load_directions(tile);
    tile.for_each_run_around([&](site p, std::int64_t length) {  // runs have numbers in a row
      const auto at = tile.at(p.z, p.y, p.x);
      const auto number = number_of(p);
      for (std::int64_t i = 0; i < length; ++i) {
        const auto label = rims_[number + static_cast<std::uint64_t>(i)];
        tile.label(at + static_cast<std::uint32_t>(i)) = static_cast<std::uint32_t>(label);
      }
    });
    tile.follow_parents(seeds_);
    over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t begin, std::int64_t width) {
      const std::uint32_t* const from = &tile.label(begin);
      over_row(
          {z, y, first.x}, width, [=](std::int64_t x, std::uint32_t& to) { to = from[x]; }, labels_);
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
  std::vector<improved_pixels> improved_;                      // of tiles
  std::map<std::uint32_t, std::vector<std::int64_t>> rounds_;  // tiles that wait for them
  std::vector<std::uint64_t> rims_, first_on_rim_;
  std::vector<rim_pixel> rim_pixels_;  // until d is corrected: columns of an image are slow to read
};

template <class Key>
void run_basins(job& work, const neighbourhood& near, const view<std::uint32_t>& labels,
                const view<const Key>& passes, const view<const std::uint32_t>& seeds) {
  if (passes.depth * passes.height > std::numeric_limits<std::uint32_t>::max() ||
      passes.width > std::numeric_limits<std::uint32_t>::max())
    throw usage_error("watershed: the image has too many rows for memory; compute it in pieces");
  basin_run<Key>(work, near, labels, passes, seeds).run();
}

}  // namespace

constinit const basin_kernels own_basin_kernels{&run_basins<std::uint8_t>, &run_basins<std::uint16_t>,
                                                &run_basins<std::uint32_t>, &run_basins<std::uint64_t>};

}  // namespace macareu::cpu
