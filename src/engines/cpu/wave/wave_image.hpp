// The tile engine's view of a bottleneck wave: rows of rising keys, read from and written to the caller's
// images. The kernels are therefore compiled once per key width, not per rule and pixel type.
//
// Own pixels are those of the tile that the calling thread holds. A tile's top and bottom rows (first and
// last slices in volumes) are shared: neighbours may read them while the owner writes. Both use relaxed
// atomics.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>

#include "core/view.hpp"
#include "engines/cpu/wave/keyed_rows.hpp"
#include "patterns/wave.hpp"

namespace macareu::cpu {

template <class Key>
class wave_image {
 public:
  template <class State>
  wave_image(const view<State>& image, key_code<Key> code)
      : depth(image.depth), height(image.height), width(image.width), states(image, code) {}
  virtual ~wave_image() = default;

  /// The start of the wave, not yet clipped to the capacity.
  virtual void read_start(site first, std::int64_t count, Key* keys) const = 0;
  void read_capacity(site first, std::int64_t count, Key* keys) const {
    if (capacities)
      capacities->read(first, count, keys);
    else
      compute_capacity(first, count, keys);
  }

  std::int64_t depth, height, width;
  keyed_rows<Key> states;
  std::optional<keyed_rows<Key>> capacities;  // where they are an image

 private:
  virtual void compute_capacity(site first, std::int64_t count, Key* keys) const = 0;
};

/// A wave whose start and capacity are images.
template <class Key>
class given_image final : public wave_image<Key> {
 public:
  template <class State>
  given_image(const view<State>& state, const view<const State>& start, const view<const State>& capacity,
              key_code<Key> code)
      : wave_image<Key>(state, code), starts_(start, code) {
    this->capacities.emplace(capacity, code);
  }

  void read_start(site first, std::int64_t count, Key* keys) const override {
    starts_.read(first, count, keys);
  }

 private:
  void compute_capacity(site, std::int64_t, Key*) const override {}

  keyed_rows<Key> starts_;
};

template <class Rule, class State, class Start, class... In>
class rule_image final : public wave_image<key_of<State>> {
 public:
  using key = key_of<State>;
  static constexpr direction toward = Rule::algebra::toward;

  rule_image(const Rule& rule, const view<State>& state, const Start& start, const view<const In>&... in)
      : wave_image<key>(state, key_code_of<toward, State>()), rule_(rule), start_(start), in_(in...) {
    if constexpr (capacity_is_input<Rule>)
      this->capacities.emplace(std::get<0>(in_), key_code_of<toward, State>());
  }

  void read_start(site first, std::int64_t count, key* keys) const override {
    start_.over_row(first, count, [&](std::int64_t i, State value) { keys[i] = rising_key<toward>(value); });
  }

 private:
  void compute_capacity(site first, std::int64_t count, key* keys) const override {
    if constexpr (!capacity_is_input<Rule>) {
      const auto each = [&](std::int64_t i, const In&... value) {
        keys[i] = rising_key<toward>(rule_.capacity(site{first.z, first.y, first.x + i}, value...));
      };
      std::apply([&](const auto&... in) { over_row(first, count, each, in...); }, in_);
    }
  }

  Rule rule_;
  Start start_;
  std::tuple<view<const In>...> in_;
};

}  // namespace macareu::cpu
