// Second stage of a watershed (basin_run.hpp): corrects d where it falls across tiles.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "engines/cpu/basins/basin_run.hpp"

namespace macareu::cpu {

/// What pixels on rims get from neighbours in other tiles.
template <class Key>
std::vector<std::vector<offered_pixel>> basin_run<Key>::offers_across() {
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
template <class Key>
void basin_run<Key>::correct() {
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
template <class Key>
void basin_run<Key>::take(std::vector<std::vector<offered_pixel>>& offers) {
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

template <class Key>
void basin_run<Key>::wait_for_round(std::int64_t tile, std::uint32_t steps) {
  auto& earliest = improved_[static_cast<std::size_t>(tile)].round;
  const auto round = steps / tuning::basin_window;
  if (round >= earliest) return;
  earliest = round;
  rounds_[round].push_back(tile);
}

/// Both the pixels that are due and those that follow from them are in ascending order of d, so inside a
/// tile no pixel is corrected twice in a round: the queue holds what is offered, and each pixel once.
template <class Key>
void basin_run<Key>::correct_tile(std::int64_t tile, std::uint64_t end, std::vector<improved_pixel>& queue,
                                  std::vector<offered_pixel>& offers) {
  const auto place = grid_.place(tile);
  const auto origin = index_of(place.first);
  auto& later = improved_[static_cast<std::size_t>(tile)].pixels;
  const auto first_later =
      std::partition(later.begin(), later.end(), [&](const auto& each) { return each.steps < end; });
  const auto offered = static_cast<std::size_t>(first_later - later.begin());
  const auto pixels =
      static_cast<std::size_t>(place.depth) * static_cast<std::size_t>(place.height * place.width);
  if (queue.size() < offered + pixels) queue.resize(offered + pixels);
  std::copy(later.begin(), first_later, queue.begin());
  later.erase(later.begin(), first_later);
  std::sort(queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(offered),
            [](const auto& a, const auto& b) { return a.steps < b.steps; });
  std::size_t next = 0, head = offered, tail = offered;
  while (next < offered || head < tail) {
    const bool first = head == tail || (next < offered && queue[next].steps <= queue[head].steps);
    const improved_pixel pixel = queue[first ? next++ : head++];
    const auto before = pixel.steps;
    const site p = unpacked(pixel.at);
    const auto at = origin + index_of(p);
    if (steps_.data[at] != before) continue;
    const Key own = passes_.data[at];
    const auto steps = before + 1;
    const auto correct_to = [&](std::int64_t to, int k) {
      store_steps(to, steps);
      const improved_pixel corrected{steps, pixel.at + packed_offset_[static_cast<std::size_t>(k)]};
      if (steps < end)
        queue[tail++] = corrected;
      else
        later.push_back(corrected);
    };
    const auto can_fall = [&](std::int64_t to) {
      return load_steps(to) > steps && passes_.data[to] == own && !is_outside(to);
    };
    const bool inner = p.x > 0 && p.x + 1 < place.width && p.y > 0 && p.y + 1 < place.height &&
                       (near_.rank == 2 || (p.z > 0 && p.z + 1 < place.depth));
    for (int k = 0; k < order_.count; ++k) {
      const auto to = at + offset_[static_cast<std::size_t>(k)];
      if (inner) {
        if (can_fall(to)) correct_to(to, k);
        continue;
      }
      const auto& step = order_.steps[static_cast<std::size_t>(k)];
      const site q = place.first + site{p.z + step.dz, p.y + step.dy, p.x + step.dx};
      if (!passes_.contains(q) || !can_fall(to)) continue;
      if (contains(place, q))
        correct_to(to, k);
      else
        offers.push_back({steps, q});
    }
  }
}

}  // namespace macareu::cpu
