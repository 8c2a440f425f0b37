// component_in_blocks, an optional ability of engines: labels an image in blocks of a given number of slices
// (of rows in images). 0 leaves the choice to the engine. An engine with a pool of devices, or with device
// memory, divides the image itself. The default is `component`. Where an engine has its images in host
// memory, blocks are labelled one by one and merged (operators/objects/labels/label_blocks.hpp).
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
