// basins_of_minima, an ability that engines may have: a watershed (basins.hpp) whose seeds are minima.
//
// The seeds are the regional minima of `levels` inside the mask, numbered in raster order. `levels` are
// heights, or heights after shallow minima were filled. They become L, which needs no flood then:
//
// A pixel outside the minima has a path to one along which levels do not rise, and heights do not exceed
// levels. So its L is at most its level. A path from a minimum leaves it at a pixel whose level is its
// height. From there on levels do not exceed the greatest height so far. So L is at least the level. At
// minima L is the height.
//
// Entries and links outside the minima are then those of `levels`, and minima are the pixels that no entry
// reaches.
#pragma once

#include <concepts>
#include <cstdint>

#include "core/neighbourhood.hpp"
#include "patterns/images.hpp"

namespace macareu {

/// `basins_of_minima` returns the number of minima; `mask` may be null. Only where `has_basins_of_minima`.
template <class Engine, class Key>
concept finds_basins_of_minima = requires(Engine& engine, const neighbourhood& near,
                                          const image_in<Engine, std::uint32_t>& labels,
                                          const image_in<Engine, Key>& levels,
                                          const image_in<Engine, const Key>& heights,
                                          const image_in<Engine, const std::uint8_t>* mask) {
  { engine.has_basins_of_minima(near, heights) } -> std::same_as<bool>;
  { engine.basins_of_minima(near, labels, levels, heights, mask) } -> std::same_as<std::uint64_t>;
};

}  // namespace macareu
