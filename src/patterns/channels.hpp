// map_channels, an optional ability of engines: maps of the three channels of an image in one pass, where
// they lie interleaved in memory. For several outputs the rule gives an array, with at least as many values.
// The fallback is a map for each output.
#pragma once

#include <array>
#include <cstddef>

#include "patterns/images.hpp"

namespace macareu {

template <class Engine, class Rule, class Out, class In, std::size_t Outputs>
concept maps_channels = requires(Engine& engine, const Rule& rule,
                                 const std::array<image_in<Engine, Out>, Outputs>& out,
                                 const std::array<image_in<Engine, const In>, 3>& in) {
  engine.map_channels(rule, out, in);
};

}  // namespace macareu
