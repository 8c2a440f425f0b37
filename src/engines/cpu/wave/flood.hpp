// The wave inside one tile from single pixels, directly in the images. A front of a few pixels touches little
// of a row, and copying rows to private memory would cost more than the wave.
//
// In images the front crosses rows in bands, one vector wide. Propagation from row to row of a band needs no
// queue. Pixels that can raise others outside the band, or in the previous row, go to the queue.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/neighbourhood.hpp"
#include "core/site.hpp"
#include "engines/cpu/runtime/shuffle.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/pixel_queue.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

template <class Key>
class tile_flood {
 public:
  tile_flood(const wave_image<Key>& image, const neighbourhood& near, const tile_place& within,
             pixel_queue<Key>& queue)
      : image_(image),
        states_(image.states),
        limits_(image.capacities),
        near_(near),
        within_(within),
        queue_(queue) {}

  /// Runs until the queue is empty. Returns false after `most` steps, or when the front gets so wide that
  /// sweeps are cheaper. The queue then holds the remaining pixels.
  bool run(std::int64_t most) {
    // Bands need contiguous rows at least one vector wide.
    const bool bands =
        near_.rank == 2 && within_.width >= lanes && states_.packed() && (!limits_ || limits_->packed());
    while (queue_.size() > 0) {
      if (steps_ > most || queue_.size() > tuning::most_waiting) return false;
      const auto p = queue_.pop();
      ++steps_;
      if (bands)
        raise_in_bands(p);
      else
        near_.for_each({p.z, p.y, p.x}, [&](site q) {
          if (rise(to_pixel(q), state(p))) queue_.push(to_pixel(q));
        });
    }
    return true;
  }

  std::int64_t steps() const { return steps_; }

 private:
  static constexpr int lanes = std::max<int>(16 / sizeof(Key), 4);  // a pixel's neighbours fit a band
  typedef Key keys __attribute__((vector_size(lanes * sizeof(Key))));

  static tile_pixel to_pixel(site q) {
    return {static_cast<std::int16_t>(q.z), static_cast<std::int16_t>(q.y), static_cast<std::int16_t>(q.x)};
  }
  site place(int z, int y, int x) const {
    return {within_.first.z + z, within_.first.y + y, within_.first.x + x};
  }
  Key limit(site at) const {
    if (limits_) return (*limits_)[at];
    Key computed;
    image_.read_capacity(at, 1, &computed);
    return computed;
  }
  Key state(tile_pixel p) const { return states_[place(p.z, p.y, p.x)]; }

  /// Raises the pixel to `from`, within its limit. Returns whether it rose.
  bool rise(tile_pixel q, Key from) {
    if (q.z < 0 || q.z >= within_.depth || q.y < 0 || q.y >= within_.height || q.x < 0 ||
        q.x >= within_.width)
      return false;
    const Key before = state(q);
    if (before >= from) return false;
    const site at = place(q.z, q.y, q.x);
    const Key after = std::min(from, limit(at));
    if (after <= before) return false;
    states_.set_shared(at, after);
    if (on_rim(q)) queue_.on_rim.push_back({q, after});
    return true;
  }
  bool on_rim(tile_pixel q) const {
    return q.y == 0 || q.y == within_.height - 1 || q.x == 0 || q.x == within_.width - 1 ||
           (near_.rank == 3 && (q.z == 0 || q.z == within_.depth - 1));
  }

  void raise_in_bands(tile_pixel p) {
    raise_along(p, -1);
    raise_along(p, 1);
    cross_rows(p, -1);
    cross_rows(p, 1);
  }

  /// Raises pixels along the row as far as possible. A band covers the neighbours of a pixel, so one pixel
  /// per quarter of a band is queued.
  void raise_along(tile_pixel p, int dx) {
    tile_pixel q = p;
    for (int walked = 0;; ++walked) {
      const Key from = state(q);
      const tile_pixel next{q.z, q.y, static_cast<std::int16_t>(q.x + dx)};
      const bool rises = rise(next, from);
      if (walked > 0 && (!rises || walked % (lanes / 4) == 0)) queue_.push(q);
      if (!rises) return;
      ++steps_;
      q = next;
    }
  }

  /// Raises a band around the pixel, row by row, until a row does not change.
  void cross_rows(tile_pixel p, int dy) {
    const int left = std::clamp(p.x - lanes / 2 + 1, 0, within_.width - lanes);
    keys leaving = {};
    if (left > 0) leaving[0] = 1;
    if (left + lanes < within_.width) leaving[lanes - 1] = 1;
    int y = p.y + dy;
    if (y < 0 || y >= within_.height) return;
    band_row from = read(p.y, left);
    for (; y >= 0 && y < within_.height; y += dy) {
      fetch(y + tuning::rows_prefetched * dy, left);
      const band_row before = read(y, left);
      band_row after{clamped(offers(from.state), before), before.limit};
      if (!any(after.state ^ before.state)) return;
      ++steps_;
      if (any(clamped(beside(after.state), after) ^ after.state)) close(after);
      const keys changes = after.state ^ before.state;
      write(y, left, after.state, changes);
      const keys back = clamped(offers(after.state), from) ^ from.state;
      if (any(back | (leaving != 0 ? changes : keys{}))) queue_changes(y, left, changes);
      from = after;
    }
  }

  struct band_row {
    keys state, limit;
  };
  /// Prefetches a row: the rows of a band lie far apart in memory.
  [[gnu::always_inline]] void fetch(int y, int left) const {
    const auto row = within_.first.y + y;
    if (row < 0 || row >= image_.height) return;
    states_.fetch_to_write(place(0, y, left));
    if (limits_) limits_->fetch(place(0, y, left));
  }
  band_row read(int y, int left) const {
    const site at = place(0, y, left);
    return {states_.template load<keys>(at), limits_from(at)};
  }
  keys limits_from(site at) const {
    if (limits_) return limits_->template load<keys>(at);
    std::array<Key, lanes> computed;
    image_.read_capacity(at, lanes, computed.data());
    return std::bit_cast<keys>(computed);
  }
  void write(int y, int left, keys state, keys changes) {
    const auto pixels = std::bit_cast<std::array<Key, lanes>>(state);
    const bool edge = y == 0 || y == within_.height - 1;
    if (edge)
      states_.write_shared(place(0, y, left), lanes, pixels.data());
    else
      states_.store(place(0, y, left), state);
    if (!edge && left > 0 && left + lanes < within_.width) return;
    for (int i = 0; i < lanes; ++i)
      if (const auto q = to_pixel({0, y, left + i}); changes[i] && on_rim(q))
        queue_.on_rim.push_back({q, state[i]});
  }
  void queue_changes(int y, int left, keys changes) {
    for (int i = 0; i < lanes; ++i)
      if (changes[i]) queue_.push(to_pixel({0, y, left + i}));
  }

  /// The larger of the left and the right neighbour of each pixel; outside the band the lowest key.
  static keys beside(keys row) { return beside(row, std::make_integer_sequence<int, lanes>{}); }
  template <int... Lane>
  static keys beside(keys row, std::integer_sequence<int, Lane...>) {
    const keys lowest = {};
    return larger(shuffled<(Lane + 1)...>(row, lowest), shuffled<(lanes - 1 + Lane)...>(lowest, row));
  }
  static keys larger(keys a, keys b) { return a > b ? a : b; }
  static keys clamped(keys offer, const band_row& to) {
    const keys raised = larger(offer, to.state);
    return raised < to.limit ? raised : to.limit;
  }
  keys offers(keys from) const { return near_.reach == 1 ? from : larger(from, beside(from)); }
  static bool any(keys changes) {
    const auto words = std::bit_cast<std::array<std::uint64_t, lanes * sizeof(Key) / 8>>(changes);
    return std::ranges::any_of(words, [](auto word) { return word != 0; });
  }
  /// Propagates along the row of the band, both ways.
  static void close(band_row& row) {
    keys& s = row.state;
    for (int i = 1; i < lanes; ++i) s[i] = std::max<Key>(s[i], std::min<Key>(s[i - 1], row.limit[i]));
    for (int i = lanes - 2; i >= 0; --i) s[i] = std::max<Key>(s[i], std::min<Key>(s[i + 1], row.limit[i]));
  }

  const wave_image<Key>& image_;
  const keyed_rows<Key> states_;
  const std::optional<keyed_rows<Key>> limits_;
  const neighbourhood& near_;
  const tile_place& within_;
  pixel_queue<Key>& queue_;
  std::int64_t steps_ = 0;
};

}  // namespace macareu::cpu
