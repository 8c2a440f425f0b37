// summits, an optional ability of engines: all pixels without a neighbour further up (or down), found in one
// pass. Without it regional extrema flood values (operators/extrema/regional_extrema.hpp).
#pragma once

#include <concepts>
#include <cstdint>

#include "core/neighbourhood.hpp"
#include "patterns/images.hpp"
#include "patterns/wave.hpp"

namespace macareu {

struct summits_found {
  bool everywhere;  // as on an image of one value, unless it is the one furthest back
  bool undercut;    // some
};

/// summits: 1 where no neighbour is further, but not on values that none is further back than. undercut: 1 on
/// those of them that touch a pixel as far which is none.
template <class Engine, direction Toward, class T>
concept finds_summits = requires(Engine& engine, const neighbourhood& near,
                                 const image_in<Engine, std::uint8_t>& summits,
                                 const image_in<Engine, std::uint8_t>& undercut,
                                 const image_in<Engine, const T>& image) {
  { engine.template summits<Toward>(near, summits, undercut, image) } -> std::same_as<summits_found>;
};

}  // namespace macareu
