// Labels block by block, with piece, merge and finish as in patterns/component.hpp: by the engine where it
// cuts into blocks, here where its images are in host memory, and else as a whole, with the same result.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "core/framed.hpp"
#include "core/function_ref.hpp"
#include "core/neighbourhood.hpp"
#include "operators/objects/labels/label_images.hpp"
#include "patterns/component_blocks.hpp"
#include "patterns/component_rims.hpp"
#include "patterns/images.hpp"

namespace macareu {

/// Copy of a slice.
template <std::derived_from<images_in_memory> Engine, class Label>
std::vector<std::uint32_t> numbers_in(Engine& engine, const framed<const Label>& slice) {
  const auto height = slice.whole().height, width = slice.whole().width;
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(height * width));
  engine.map(label_as<std::uint32_t>{},
             framed(view<std::uint32_t>{numbers.data(), 1, height, width, 0, width, 1}), slice);
  return numbers;
}

/// `thickness`: slices of a block (rows, in images). number_block(first, count) numbers the objects of
/// `count` slices in place. Blocks are numbered in the output image, so the only extra memory is two slices.
template <std::derived_from<images_in_memory> Engine, class Label>
std::uint64_t component_in_blocks(Engine& engine, bool volume, const framed<Label>& labels,
                                  std::int64_t thickness,
                                  function_ref<std::uint64_t(std::int64_t, std::int64_t)> number_block) {
  const std::int64_t slices = volume ? labels.whole().depth : labels.whole().height;
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return labels.slices(volume, first, count);
  };
  const host_threads threads = engine.lend_threads(labels.whole().pixels());
  std::vector<block_residue> residues;
  std::vector<std::uint32_t> shared;  // numbers that the previous block gave to the first slice of this one
  for (std::int64_t first = 0; first < slices; first += thickness) {
    const auto own = std::min(thickness, slices - first);
    const auto seen = std::min(own + 1, slices - first);
    if (number_block(first, seen) > std::numeric_limits<std::uint32_t>::max())
      throw call_error({.kind = fault::value,
                        .operation = "label",
                        .parts = {"a block of " + std::to_string(thickness) +
                                      " slices has more objects than 32 bits count; use smaller ",
                                  parameter_named("blocks")},
                        .given = std::to_string(thickness)});
    block_residue residue;
    residue.objects =
        static_cast<std::uint32_t>(engine.reduce(greatest_number{}, part(first, own).reading()));
    if (first > 0) {
      const auto numbers = numbers_in(engine, part(first, 1).reading());
      residue.in_first = std::ranges::max(numbers);
      residues.back().to_next = rim_pairs(shared, numbers, residues.back().objects, threads);
    }
    residues.push_back(std::move(residue));
    if (seen > own) shared = numbers_in(engine, part(first + own, 1).reading());
  }
  const auto merged = merge_rims(residues, threads);
  for (std::size_t b = 0; b < residues.size(); ++b) {
    const auto first = static_cast<std::int64_t>(b) * thickness;
    engine.recode(part(first, std::min(thickness, slices - first)),
                  numbers_of<Label>(merged.blocks[b], residues[b].objects));
  }
  return merged.count;
}

/// The engine chooses the blocks if `thickness` is 0.
template <class Engine, class Rule, class Labels, class Image>
std::uint64_t label_components(Engine& engine, const Rule& rule, const neighbourhood& near,
                               const Labels& labels, const Image& image, std::int64_t thickness) {
  if constexpr (cuts_into_blocks<Engine, Rule, Labels, Image>) {
    return engine.component_in_blocks(rule, near, labels, image, thickness);
  } else {
    if constexpr (std::derived_from<Engine, images_in_memory>) {
      const bool volume = near.rank == 3;
      const auto number_block = [&](std::int64_t first, std::int64_t count) {
        return engine.component(rule, near, labels.slices(volume, first, count),
                                image.slices(volume, first, count));
      };
      if (thickness > 0) return component_in_blocks(engine, volume, labels, thickness, number_block);
    }
    return engine.component(rule, near, labels, image);
  }
}

}  // namespace macareu
