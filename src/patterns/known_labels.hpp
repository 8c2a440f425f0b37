// known_labels, an optional ability of engines: the greatest label of an image, where an earlier call has
// counted them. Otherwise the image is read for it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "patterns/images.hpp"

namespace macareu {

template <class Engine, class T>
concept knows_labels = requires(Engine& engine, const image_in<Engine, const T>& labels) {
  { engine.known_labels(labels) } -> std::same_as<std::optional<std::uint64_t>>;
};

}  // namespace macareu
