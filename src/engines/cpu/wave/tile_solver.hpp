// One tile of a bottleneck wave as a union-find forest of peaks: edges in descending order, rim and results.
//
// Every pixel climbs to a neighbour with more capacity, and from there on to a peak. All capacities on the
// way are at least its own, c. So its final value is min(c, v), where v is that of its peak: whatever the
// pixel gets it hands on, and whatever the peak has arrives up to c. Peaks are few, and widest paths between
// them cross from one slope to another: Kruskal's algorithm runs on these crossings alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/neighbourhood.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/descending.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/source_forest.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

/// The source of the states: the image, where every tile has published them, or the start.
enum class contract_from { states, start };

/// One tile in memory. Its halo of one pixel has no capacity, so neighbours need no bounds check.
template <class Key>
class tile_solver {
 public:
  using pixel = std::uint16_t;

  tile_solver(const neighbourhood& near, const wave_image<Key>& image, const tile_grid& grid)
      : near_(near), image_(image), grid_(grid) {}

  /// Loads the tile and lists its rim pixels in raster order. Peaks enter the forest, each with the highest
  /// state of its slope.
  void load(std::int64_t tile, contract_from from) {
    place_ = grid_.place(tile);
    row_ = place_.width + 2;
    slice_ = row_ * (place_.height + 2);
    const auto pixels =
        static_cast<std::size_t>(slice_) * static_cast<std::size_t>(near_.rank == 3 ? place_.depth + 2 : 1);
    capacity_.assign(pixels, 0);
    each_row(
        [&](site at, int, int, pixel first) { image_.read_capacity(at, place_.width, &capacity_[first]); });
    climb();
    forest_.reset(pixels);
    for (const auto p : peaks_) {
      forest_.value(p) = 0;
      forest_.enter(p);
    }
    rim_.clear();
    rim_states_.clear();
    std::vector<Key> states(static_cast<std::size_t>(place_.width));
    each_row([&](site at, int z, int y, pixel first) {
      if (from == contract_from::start)
        image_.read_start(at, place_.width, states.data());
      else
        image_.states.read(at, place_.width, states.data());
      Key any = 0;
      for (const Key state : states) any = static_cast<Key>(any | state);
      for (int x = 0; x < place_.width && any != 0; ++x) {
        const auto p = static_cast<pixel>(first + x);
        raise(p, std::min(states[static_cast<std::size_t>(x)], capacity_[p]));
      }
      for_each_on_rim(z, y, [&](int x) {
        const auto p = static_cast<pixel>(first + x);
        rim_.push_back(p);
        rim_states_.push_back(std::min(states[static_cast<std::size_t>(x)], capacity_[p]));
      });
    });
  }

  const std::vector<pixel>& rim() const { return rim_; }
  /// By the order of the rim.
  const std::vector<Key>& rim_states() const { return rim_states_; }
  Key capacity(pixel p) const { return capacity_[p]; }
  pixel peak(pixel p) const { return peak_[p]; }
  std::size_t pixels() const { return capacity_.size(); }
  /// Of peaks.
  source_forest<Key, pixel>& forest() { return forest_; }
  /// A state of a pixel, at most its capacity: its peak gets it, too.
  void raise(pixel p, Key state) {
    auto& value = forest_.value(peak_[p]);
    value = std::max(value, state);
  }

  /// The tile's crossings in descending order: join(root, root, weight). Pixels of the rim are among them,
  /// by their capacities: reach(number on the rim, root).
  template <class Join, class Reach>
  void contract(const Join& join, const Reach& reach) {
    find_crossings();
    for (const auto p : rim_) weights_.push_back(capacity_[p]);
    over_crossings(join, reach);
  }
  template <class Join>
  void contract(const Join& join) {
    find_crossings();
    over_crossings(join, [](std::size_t, pixel) {});
  }

  void write_results() {
    values_.resize(pixels());
    for (const auto p : peaks_) values_[p] = forest_.result(p);
    std::vector<Key> results(static_cast<std::size_t>(place_.width));
    each_row([&](site at, int, int, pixel first) {
      for (int x = 0; x < place_.width; ++x) {
        const auto p = static_cast<pixel>(first + x);
        results[static_cast<std::size_t>(x)] = std::min(capacity_[p], values_[peak_[p]]);
      }
      image_.states.write(at, place_.width, results.data());
    });
  }

 private:
  template <class Visit>
  void each_row(Visit&& visit) {
    for (int z = 0; z < place_.depth; ++z)
      for (int y = 0; y < place_.height; ++y)
        visit(site{place_.first.z + z, place_.first.y + y, place_.first.x}, z, y,
              static_cast<pixel>((near_.rank == 3 ? z + 1 : 0) * slice_ + (y + 1) * row_ + 1));
  }
  template <class Visit>
  void for_each_on_rim(int z, int y, const Visit& visit) const {
    const bool all =
        y == 0 || y == place_.height - 1 || (near_.rank == 3 && (z == 0 || z == place_.depth - 1));
    const int step = all ? 1 : std::max(place_.width - 1, 1);
    for (int x = 0; x < place_.width; x += step) visit(x);
  }

  /// Steps to later neighbours; those to earlier ones are their negatives.
  std::vector<int> steps_onwards() const {
    std::vector<int> steps;
    near_.for_each({0, 0, 0}, [&](site d) {
      const auto step = static_cast<int>(d.z * slice_ + d.y * row_ + d.x);
      if (step > 0) steps.push_back(step);
    });
    return steps;
  }

  /// The peak of every pixel. Of equal capacities the earlier pixel counts as higher, so no path is a circle.
  void climb() {
    peak_.resize(capacity_.size());
    std::iota(peak_.begin(), peak_.end(), pixel{0});
    const auto steps = steps_onwards();
    const int width = place_.width;  // a local copy: stores cannot alias it
    std::vector<Key> highest(static_cast<std::size_t>(width));
    each_row([&](site, int, int, pixel first) {
      Key* const __restrict most = highest.data();
      const Key* const own = &capacity_[first];
      pixel* const __restrict to = &peak_[first];
      // Nothing climbs to the halo, which has no capacity.
      for (int x = 0; x < width; ++x) most[x] = std::max(own[x], Key{1});
      // One neighbour of all pixels of a row after the other: loops that are vectorised.
      for (const int step : steps) {
        const Key* const near = own - step;
        for (int x = 0; x < width; ++x) {
          const bool higher = near[x] >= most[x];
          most[x] = higher ? near[x] : most[x];
          to[x] = higher ? static_cast<pixel>(first + x - step) : to[x];
        }
      }
      for (const int step : steps) {
        const Key* const near = own + step;
        for (int x = 0; x < width; ++x) {
          const bool higher = near[x] > most[x];
          most[x] = higher ? near[x] : most[x];
          to[x] = higher ? static_cast<pixel>(first + x + step) : to[x];
        }
      }
    });
    peaks_.clear();
    pixel* const peak = peak_.data();
    each_row([&](site, int, int, pixel first) {
      for (int p = first; p < first + width; ++p) {
        auto to = peak[p];
        if (to == p) peaks_.push_back(to);
        while (peak[to] != to) to = peak[to] = peak[peak[to]];
        peak[p] = to;
      }
    });
  }

  /// Lists the crossings between slopes, most of them once with their greatest weight.
  void find_crossings() {
    crossings_.clear();
    weights_.clear();
    known_.fill({});
    const auto steps = steps_onwards();
    const int width = place_.width;
    std::vector<pixel> differences(static_cast<std::size_t>(width));
    each_row([&](site, int, int, pixel first) {
      pixel* const __restrict differs = differences.data();
      const pixel* const peak = &peak_[first];
      const Key* const capacity = &capacity_[first];
      std::fill_n(differs, width, pixel{0});
      for (const int step : steps)
        for (int x = 0; x < width; ++x)
          differs[x] = static_cast<pixel>(differs[x] | (peak[x] ^ peak[x + step]));
      for (int x = 0; x < width; ++x) {
        if (differs[x] == 0) continue;
        for (const int step : steps) {
          if (peak[x] == peak[x + step]) continue;
          const Key weight = std::min(capacity[x], capacity[x + step]);
          if (weight > 0) add_crossing(peak[x], peak[x + step], weight);
        }
      }
    });
  }

  void add_crossing(pixel a, pixel b, Key weight) {
    const auto ends = std::minmax(a, b);
    const std::uint32_t pair = std::uint32_t{ends.first} << 16 | ends.second;
    auto& entry = known_[pair * 0x9e3779b1u >> (32 - known_bits)];
    if (entry.pair == pair) {
      auto& most = weights_[entry.place];
      most = std::max(most, weight);
      return;
    }
    entry = {pair, static_cast<std::uint32_t>(crossings_.size())};
    crossings_.push_back(ends);
    weights_.push_back(weight);
  }

  template <class Join, class Reach>
  void over_crossings(const Join& join, const Reach& reach) {
    order_.resize(weights_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    descending<Key, std::uint32_t>(weights_, order_, spare_);
    for (const auto k : order_) {
      if (k < crossings_.size()) {
        const auto& [a, b] = crossings_[k];
        join(forest_.root(a), forest_.root(b), weights_[k]);
      } else {
        const auto number = k - crossings_.size();
        reach(number, forest_.root(peak_[rim_[number]]));
      }
    }
  }

  /// The places of crossings in their list, by hash: those that another one with its hash has replaced are
  /// listed again.
  struct known_crossing {
    std::uint32_t pair = 0, place = 0;  // no pair is 0: its ends differ
  };
  static constexpr int known_bits = tuning::crossing_table_bits;

  const neighbourhood near_;
  const wave_image<Key>& image_;
  const tile_grid& grid_;
  tile_place place_{};
  int row_ = 0, slice_ = 0;
  std::vector<Key> capacity_, rim_states_, values_;
  std::vector<pixel> peak_, peaks_, rim_;
  source_forest<Key, pixel> forest_;
  std::vector<std::pair<pixel, pixel>> crossings_;
  std::vector<Key> weights_;  // of the crossings, and of the rim behind them
  std::vector<std::uint32_t> order_, spare_;
  std::array<known_crossing, std::size_t{1} << known_bits> known_;
};

}  // namespace macareu::cpu
