// Labels by blocks on an engine of the host: piece, merge and finish as patterns/component.hpp has them, one
// block after another. Blocks are numbered where their labels belong, so beside the labels this takes two
// slices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>

#include "core/function_ref.hpp"
#include "core/neighbourhood.hpp"
#include "core/view.hpp"
#include "patterns/component_rims.hpp"
#include "rules/label_images.hpp"

namespace macareu {

/// Slices of a volume, rows of an image.
template <class T>
view<T> slices_of(view<T> whole, bool volume, std::int64_t first, std::int64_t count) {
  whole.data += first * (volume ? whole.step_z : whole.step_y);
  (volume ? whole.depth : whole.height) = count;
  return whole;
}

template <class Engine, class Label>
std::vector<std::uint32_t> numbers_in(Engine& engine, const view<const Label>& slice) {
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(slice.pixels()));
  engine.map(label_as<std::uint32_t>{},
             view<std::uint32_t>{numbers.data(), 1, slice.height, slice.width, 0, slice.width, 1}, slice);
  return numbers;
}

/// number[k]: what object k of the block is called in the whole image.
template <class Label>
std::vector<Label> numbers_of(const block_answer& answer, std::uint32_t objects) {
  std::vector<Label> number(std::size_t{objects} + 1, Label{});
  std::size_t moved = 0;
  for (std::uint32_t k = 1; k <= objects; ++k) {
    const bool has_moved = moved < answer.moved.size() && answer.moved[moved] == k;
    number[k] = static_cast<Label>(has_moved ? answer.target[moved] : answer.before + k - moved);
    moved += has_moved;
  }
  return number;
}

/// `thickness`: slices of a block (rows, in images). number_block(first, count) numbers the objects of so
/// many slices where their labels belong, whatever the rule and the image.
template <class Engine, class Label>
std::uint64_t component_in_blocks(Engine& engine, bool volume, const view<Label>& labels,
                                  std::int64_t thickness,
                                  function_ref<std::uint64_t(std::int64_t, std::int64_t)> number_block) {
  const std::int64_t slices = volume ? labels.depth : labels.height;
  const auto part = [&](std::int64_t first, std::int64_t count) {
    return slices_of(labels, volume, first, count);
  };
  const host_threads threads = engine.lend_threads(labels.pixels());
  std::vector<block_residue> residues;
  std::vector<std::uint32_t> shared;  // the first slice of a block, as the one before has numbered it
  for (std::int64_t first = 0; first < slices; first += thickness) {
    const auto own = std::min(thickness, slices - first);
    const auto seen = std::min(own + 1, slices - first);
    if (number_block(first, seen) > std::numeric_limits<std::uint32_t>::max())
      throw usage_error("label: a block of " + std::to_string(thickness) +
                        " slices has more objects than 32 bits count; use smaller blocks");
    block_residue residue;
    residue.objects =
        static_cast<std::uint32_t>(engine.reduce(greatest_number{}, view<const Label>(part(first, own))));
    if (first > 0) {
      const auto numbers = numbers_in(engine, view<const Label>(part(first, 1)));
      residue.in_first = std::ranges::max(numbers);
      residues.back().to_next = rim_pairs(shared, numbers, residues.back().objects, threads);
    }
    residues.push_back(std::move(residue));
    if (seen > own) shared = numbers_in(engine, view<const Label>(part(first + own, 1)));
  }
  const auto merged = merge_rims(residues, threads);
  for (std::size_t b = 0; b < residues.size(); ++b) {
    const auto first = static_cast<std::int64_t>(b) * thickness;
    engine.recode(part(first, std::min(thickness, slices - first)),
                  numbers_of<Label>(merged.blocks[b], residues[b].objects));
  }
  return merged.count;
}

/// As one whole where `thickness` is 0. An engine that has a pool of devices cuts the image by itself.
template <class Engine, class Rule, class Label, class T>
std::uint64_t label_components(Engine& engine, const Rule& rule, const neighbourhood& near,
                               const view<Label>& labels, const view<const T>& image,
                               std::int64_t thickness) {
  if constexpr (requires { engine.component(rule, near, labels, image, thickness); })
    return engine.component(rule, near, labels, image, thickness);
  else if (thickness == 0)
    return engine.component(rule, near, labels, image);
  else
    return component_in_blocks(
        engine, near.rank == 3, labels, thickness, [&](std::int64_t first, std::int64_t count) {
          return engine.component(rule, near, slices_of(labels, near.rank == 3, first, count),
                                  slices_of(image, near.rank == 3, first, count));
        });
}

}  // namespace macareu
