// One tile of a bottleneck wave as a union-find forest: edges in descending order, rim and results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/descending.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/source_forest.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

/// The source of the states: the image, where every tile has published them, or the start.
enum class contract_from { states, start };

/// One tile in memory. Its halo of one pixel never enters the forest, so neighbours need no bounds check.
template <class Key>
class tile_solver {
 public:
  using pixel = std::uint16_t;

  tile_solver(const neighbourhood& near, const wave_image<Key>& image, const tile_grid& grid)
      : near_(near), image_(image), grid_(grid) {}

  /// Loads the tile and lists its rim pixels in raster order.
  void load(std::int64_t tile, contract_from from) {
    place_ = grid_.place(tile);
    row_ = place_.width + 2;
    slice_ = row_ * (place_.height + 2);
    const auto pixels =
        static_cast<std::size_t>(slice_) * static_cast<std::size_t>(near_.rank == 3 ? place_.depth + 2 : 1);
    capacity_.assign(pixels, 0);
    forest_.reset(pixels);
    inside_.clear();
    rim_.clear();
    std::vector<Key> states(static_cast<std::size_t>(place_.width));
    each_row([&](site at, int z, int y, pixel first) {
      image_.read_capacity(at, place_.width, &capacity_[first]);
      if (from == contract_from::start)
        image_.read_start(at, place_.width, states.data());
      else
        image_.states.read(at, place_.width, states.data());
      for (int x = 0; x < place_.width; ++x) {
        const auto p = static_cast<pixel>(first + x);
        forest_.value(p) = std::min(states[static_cast<std::size_t>(x)], capacity_[p]);
        inside_.push_back(p);
        if (on_rim(z, y, x)) rim_.push_back(p);
      }
    });
  }

  const std::vector<pixel>& rim() const { return rim_; }
  Key capacity(pixel p) const { return capacity_[p]; }
  std::size_t pixels() const { return capacity_.size(); }
  source_forest<Key, pixel>& forest() { return forest_; }

  /// The tile's edges in descending order: visit(root, root, weight).
  template <class Visit>
  void contract(Visit&& visit) {
    int offsets[26], count = 0;
    near_.for_each({0, 0, 0},
                   [&](site d) { offsets[count++] = static_cast<int>(d.z * slice_ + d.y * row_ + d.x); });
    descending<Key, pixel>(capacity_, inside_, spare_);
    for (const pixel p : inside_) {
      forest_.enter(p);
      pixel root = p;
      for (int k = 0; k < count; ++k) {
        const auto q = static_cast<pixel>(p + offsets[k]);
        if (!forest_.has(q)) continue;
        visit(root, forest_.root(q), capacity_[p]);
        root = forest_.root(root);
      }
    }
  }

  void write_results() {
    std::vector<Key> results(static_cast<std::size_t>(place_.width));
    each_row([&](site at, int, int, pixel first) {
      for (int x = 0; x < place_.width; ++x)
        results[static_cast<std::size_t>(x)] = forest_.result(static_cast<pixel>(first + x));
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
  bool on_rim(int z, int y, int x) const {
    return x == 0 || y == 0 || x == place_.width - 1 || y == place_.height - 1 ||
           (near_.rank == 3 && (z == 0 || z == place_.depth - 1));
  }

  const neighbourhood near_;
  const wave_image<Key>& image_;
  const tile_grid& grid_;
  tile_place place_{};
  int row_ = 0, slice_ = 0;
  std::vector<Key> capacity_;
  std::vector<pixel> inside_, rim_, spare_;
  source_forest<Key, pixel> forest_;
};

}  // namespace macareu::cpu
