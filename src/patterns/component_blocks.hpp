// component_in_blocks, an optional ability of engines: components of an image that is labelled block by
// block, each of so many slices (of rows in images); 0: as the engine sees fit. An engine with a pool of
// devices, or with other memory than the host's, cuts by itself. Without it blocks are labelled one after
// another and merged on the host (operators/objects/label_blocks.hpp), which reads labels in the host's
// memory.
#pragma once

#include <concepts>
#include <cstdint>

#include "core/neighbourhood.hpp"

namespace macareu {

template <class Engine, class Rule, class Labels, class Image>
concept cuts_into_blocks = requires(Engine& engine, const Rule& rule, const neighbourhood& near,
                                    const Labels& labels, const Image& image) {
  { engine.component_in_blocks(rule, near, labels, image, std::int64_t{1}) } -> std::same_as<std::uint64_t>;
};

}  // namespace macareu
