// Last stages of a watershed (basin_run.hpp): parents around corrected pixels, the ends of their paths, and
// labels.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/ceil_div.hpp"
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

/// Loads the directions of a tile, after those that are unknown or wrong were found.
template <class Key>
void basin_run<Key>::complete_parents(basin_tile<Key>& tile) {
  const auto& place = tile.place();
  load_directions(tile);
  const auto words = ceil_div(std::int64_t{place.width}, word_bits);
  std::vector<bit_word> corrected;
  for (std::int64_t z = 0; z < place.depth; ++z)
    for (std::int64_t y = 0; y < place.height; ++y) {
      corrected.resize(corrected.size() + static_cast<std::size_t>(words));
      pack_row(place.width, corrected.data() + corrected.size() - words,
               [row = &tile.direction(tile.at(z, y, 0))](std::int64_t x) { return row[x] == is_corrected; });
    }
  const auto all = std::accumulate(corrected.begin(), corrected.end(), std::int64_t{0},
                                   [](auto sum, auto bits) { return sum + std::popcount(bits); });
  if (all > place.depth * place.height * place.width / tuning::basin_share_again) {
    tile.load_passes(passes_);
    tile.load_steps(steps_);
    tile.find_parents(seeds_);
  } else {
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
    if (y + tuning::tile_rows_prefetched < directions_.height)
      fetch_row(directions_.at(z, y + tuning::tile_rows_prefetched) + tile.place().first.x, width);
    std::copy_n(directions_.at(z, y) + tile.place().first.x, width, &tile.direction(begin));
  });
}

/// Those of corrected pixels and of all beside them, and those that are unknown on the rim.
template <class Key>
void basin_run<Key>::find_marked_parents(basin_tile<Key>& tile, const std::vector<bit_word>& corrected) {
  const auto& place = tile.place();
  const auto words = ceil_div(std::int64_t{place.width}, word_bits);
  // With a word that stays 0 on both sides.
  std::vector<bit_word> near(static_cast<std::size_t>(words) + 2), marked(static_cast<std::size_t>(words));
  for (std::int64_t z = 0; z < place.depth; ++z)
    for (std::int64_t y = 0; y < place.height; ++y) {
      std::uint8_t* const direction = &tile.direction(tile.at(z, y, 0));
      if (is_whole_on_rim(place, z, y)) {
        pack_row(place.width, marked.data(), [=](std::int64_t x) { return direction[x] == is_unknown; });
      } else {
        std::fill(marked.begin(), marked.end(), bit_word{0});
        for (const std::int64_t x : {0, place.width - 1})
          if (direction[x] == is_unknown)
            marked[static_cast<std::size_t>(x / word_bits)] |= bit_word{1} << x % word_bits;
      }
      std::fill(near.begin(), near.end(), bit_word{0});
      for (auto v = std::max<std::int64_t>(0, z - 1); v < std::min<std::int64_t>(place.depth, z + 2); ++v)
        for (auto w = std::max<std::int64_t>(0, y - 1); w < std::min<std::int64_t>(place.height, y + 2); ++w)
          for (std::int64_t i = 0; i < words; ++i)
            near[static_cast<std::size_t>(i) + 1] |=
                corrected[static_cast<std::size_t>((v * place.height + w) * words + i)];
      for (std::size_t i = 0; i < marked.size(); ++i)
        marked[i] |= near[i + 1] | near[i + 1] << 1 | near[i] >> 63 | near[i + 1] >> 1 | near[i + 2] << 63;
      if (const auto last = place.width % word_bits) marked.back() &= (bit_word{1} << last) - 1;
      for_each_bit(marked.data(), words, [&](std::int64_t x) {
        const site p = place.first + site{z, y, x};
        if (p.y + tuning::tile_rows_prefetched < passes_.height) {  // most likely some are marked there too
          const auto ahead = index_of({p.z, p.y + tuning::tile_rows_prefetched, p.x});
          __builtin_prefetch(passes_.data + ahead);
          __builtin_prefetch(steps_.data + ahead);
        }
        direction[x] = parent_of(p);
      });
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
    if (labels_.step_x == 1 && y + tuning::tile_rows_prefetched < labels_.height)
      fetch_row_to_write(labels_.at(z, y + tuning::tile_rows_prefetched) + first.x, width);
    over_row(
        {z, y, first.x}, width, [=](std::int64_t x, std::uint32_t& to) { to = from[x]; }, labels_);
  });
}

}  // namespace macareu::cpu
