// Last stages of a watershed (basin_run.hpp): parents around corrected pixels, the ends of their paths, and
// labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "engines/cpu/basins/basin_run.hpp"

namespace macareu::cpu {

/// The parent's direction, from the images.
template <class Key>
std::uint8_t basin_run<Key>::parent_of(site p) const {
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

/// How many pixels of every row were corrected.
template <class Key>
std::vector<int> basin_run<Key>::corrected_in_rows(const tile_place& place) const {
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
template <class Key>
void basin_run<Key>::complete_parents(basin_tile<Key>& tile) {
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

template <class Key>
void basin_run<Key>::load_directions(basin_tile<Key>& tile) {
  tile.for_each_around([&](std::int64_t z, std::int64_t y, std::int64_t x) {
    tile.direction(tile.at(z, y, x)) = basin_tile<Key>::is_end;
  });
  over_rows(tile, [&](std::int64_t z, std::int64_t y, std::uint32_t begin, std::int64_t width) {
    std::copy_n(directions_.at(z, y) + tile.place().first.x, width, &tile.direction(begin));
  });
}

template <class Key>
void basin_run<Key>::find_marked_parents(basin_tile<Key>& tile, const std::vector<int>& corrected) {
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
template <class Key>
void basin_run<Key>::find_ends(basin_tile<Key>& tile) {
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

template <class Key>
void basin_run<Key>::join_rims() {
  std::vector<std::uint64_t> path;
  for (std::uint64_t i = 0; i < rims_.size(); ++i) {
    auto p = i;
    for (path.clear(); rims_[p] & goes_on; p = rims_[p] & ~goes_on) path.push_back(p);
    for (const auto q : path) rims_[q] = rims_[p];
  }
}

template <class Key>
void basin_run<Key>::write_labels(basin_tile<Key>& tile) {
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

}  // namespace macareu::cpu
