// Rows and new numbers of very many objects: engines may have them in files instead of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "patterns/images.hpp"

namespace macareu {

/// An optional ability of engines: new numbers in a place of its own, which recode() takes.
template <class Engine, class Label>
concept places_object_numbers = requires(Engine& engine, const image_in<Engine, Label>& labels) {
  engine.recode(labels, engine.template object_numbers<Label>(std::size_t{1}));
};

/// Rows whose engine has them in a file.
template <class Rows>
concept releases_memory = requires(const Rows& rows) {
  rows.release();
};

/// New numbers of objects 0 .. count - 1 for recode(), all of them 0.
template <class Label, class Engine>
auto object_numbers(Engine& engine, std::size_t count) {
  if constexpr (places_object_numbers<Engine, Label>)
    return engine.template object_numbers<Label>(count);
  else
    return std::vector<Label>(count);
}

/// Rows that were read need not stay in memory.
template <class Rows>
void release_rows([[maybe_unused]] const Rows& rows) {
  if constexpr (releases_memory<Rows>) rows.release();
}

/// visit(object, row) for objects 1 .. n in their order. Few of the rows are in memory at a time.
template <class Row, class Rows, class Visit>
void over_objects(const Rows& rows, const Visit& visit) {
  constexpr std::size_t most = 16384;
  const std::span<const Row> all(rows);
  for (std::size_t begin = 1; begin < all.size(); begin += most) {
    const auto end = std::min(all.size(), begin + most);
    for (auto object = begin; object < end; ++object) visit(object, all[object]);
    release_rows(rows);
  }
}

}  // namespace macareu
