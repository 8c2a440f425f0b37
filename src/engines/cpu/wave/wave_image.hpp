// What the tile engine sees of a bottleneck wave: rows of rising keys, read from and written to the caller's
// images. Its kernels are therefore compiled once per key width, not per rule and pixel type.
//
// Own pixels are those of the tile that the calling thread holds. A row at a tile's top or bottom (or first
// or last slice) is shared: neighbouring tiles read it while its owner may write it, so both go through
// relaxed atomics.
#pragma once

#include <atomic>
#include <cstdint>
#include <tuple>

#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "engines/cpu/wave/flood.hpp"
#include "engines/cpu/wave/grid.hpp"
#include "engines/cpu/wave/pixel_queue.hpp"
#include "patterns/wave.hpp"

namespace macareu::cpu {

template <class Key>
class wave_image {
 public:
  virtual ~wave_image() = default;
  /// Where the wave starts, not yet clipped to the capacity.
  virtual void read_start(site first, std::int64_t count, Key* keys) const = 0;
  virtual void read_capacity(site first, std::int64_t count, Key* keys) const = 0;
  virtual void read_own(site first, std::int64_t count, Key* keys) const = 0;
  virtual void read_shared(site first, std::int64_t count, Key* keys) const = 0;
  virtual void write_own(site first, std::int64_t count, const Key* keys) const = 0;
  virtual void write_shared(site first, std::int64_t count, const Key* keys) const = 0;

  /// Runs the wave inside an own tile from the pixels in the queue on. False when it is given up, about when
  /// `steps` are spent: the queue then holds what may still raise its neighbours. `steps` becomes what it
  /// took.
  virtual bool flood(const neighbourhood& near, const tile_place& within, pixel_queue<Key>& queue,
                     std::int64_t& steps) const = 0;

  std::int64_t depth = 1, height = 0, width = 0;
};

template <class Rule, class State, class Start, class... In>
class rule_image final : public wave_image<key_of<State>> {
 public:
  using key = key_of<State>;
  static constexpr direction toward = Rule::algebra::toward;

  rule_image(const Rule& rule, view<State> state, const Start& start, view<const In>... in)
      : rule_(rule), state_(state), start_(start), in_(in...) {
    this->depth = state.depth;
    this->height = state.height;
    this->width = state.width;
  }

  void read_start(site first, std::int64_t count, key* keys) const override {
    start_.over_row(first, count, [&](std::int64_t i, State value) { keys[i] = rising_key<toward>(value); });
  }

  void read_capacity(site first, std::int64_t count, key* keys) const override {
    const auto each = [&](std::int64_t i, const In&... value) {
      keys[i] = rising_key<toward>(rule_.capacity(site{first.z, first.y, first.x + i}, value...));
    };
    std::apply([&](const auto&... in) { over_row(first, count, each, in...); }, in_);
  }

  void read_own(site first, std::int64_t count, key* keys) const override {
    over_row(
        first, count, [&](std::int64_t i, State value) { keys[i] = rising_key<toward>(value); }, state_);
  }

  void write_own(site first, std::int64_t count, const key* keys) const override {
    over_row(
        first, count, [&](std::int64_t i, State& value) { value = from_rising_key<toward, State>(keys[i]); },
        state_);
  }

  void read_shared(site first, std::int64_t count, key* keys) const override {
    State* row = &state_[first];
    for (std::int64_t i = 0; i < count; ++i)
      keys[i] =
          rising_key<toward>(std::atomic_ref<State>(row[i * state_.step_x]).load(std::memory_order_relaxed));
  }

  void write_shared(site first, std::int64_t count, const key* keys) const override {
    State* row = &state_[first];
    for (std::int64_t i = 0; i < count; ++i)
      std::atomic_ref<State>(row[i * state_.step_x])
          .store(from_rising_key<toward, State>(keys[i]), std::memory_order_relaxed);
  }

  /// Rows without gaps, whose pixels a few at a time are one vector: see tile_flood.
  bool is_packed() const {
    return state_.step_x == 1 && std::apply([](const auto&... in) { return ((in.step_x == 1) && ...); }, in_);
  }
  template <std::size_t Count>
  std::array<key, Count> packed_states(site first) const {
    std::array<key, Count> keys;
    const State* row = state_.at(first.z, first.y) + first.x;
    for (std::size_t i = 0; i < Count; ++i) keys[i] = rising_key<toward>(row[i]);
    return keys;
  }
  template <std::size_t Count>
  std::array<key, Count> packed_capacities(site first) const {
    std::array<key, Count> keys;
    const auto read = [&](const In*... row) {
      for (std::size_t i = 0; i < Count; ++i)
        keys[i] = rising_key<toward>(
            rule_.capacity(site{first.z, first.y, first.x + static_cast<std::int64_t>(i)}, row[i]...));
    };
    std::apply([&](const auto&... in) { read(in.at(first.z, first.y) + first.x...); }, in_);
    return keys;
  }
  template <std::size_t Count>
  void write_packed(site first, const std::array<key, Count>& keys) const {
    State* row = state_.at(first.z, first.y) + first.x;
    for (std::size_t i = 0; i < Count; ++i) row[i] = from_rising_key<toward, State>(keys[i]);
  }
  [[gnu::always_inline]] void fetch(site at) const {
    __builtin_prefetch(&state_[at], 1);
    std::apply([&](const auto&... in) { (__builtin_prefetch(&in[at]), ...); }, in_);
  }

  bool flood(const neighbourhood& near, const tile_place& within, pixel_queue<key>& queue,
             std::int64_t& steps) const override {
    tile_flood<rule_image, key> wave(*this, near, within, queue);
    const bool done = wave.run(steps);
    steps = wave.steps();
    return done;
  }

 private:
  Rule rule_;
  view<State> state_;
  Start start_;
  std::tuple<view<const In>...> in_;
};

}  // namespace macareu::cpu
