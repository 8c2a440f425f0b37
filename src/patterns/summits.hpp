// summits, an optional ability of engines: finds all pixels without a higher (or lower) neighbour in one
// pass. The fallback for regional extrema floods values (operators/extrema/regional_extrema.hpp).
#pragma once

#include <concepts>
#include <cstdint>

#include "core/neighbourhood.hpp"
#include "patterns/images.hpp"
#include "patterns/wave.hpp"

namespace macareu {

struct summits_found {
  bool everywhere;  // on constant images, except at the type's lowest (highest) value
  bool undercut;    // some pixels are undercut
};

/// summits: 1 where no neighbour is higher (lower, downwards), except at the type's lowest (highest) value.
/// undercut: 1 on summits that touch a pixel of the same value which is no summit.
template <class Engine, direction Toward, class T>
concept finds_summits = requires(Engine& engine, const neighbourhood& near,
                                 const image_in<Engine, std::uint8_t>& summits,
                                 const image_in<Engine, std::uint8_t>& undercut,
                                 const image_in<Engine, const T>& image) {
  { engine.template summits<Toward>(near, summits, undercut, image) } -> std::same_as<summits_found>;
};

}  // namespace macareu
