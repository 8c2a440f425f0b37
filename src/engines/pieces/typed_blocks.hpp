// Blocks of pixels as images of their types.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "core/framed.hpp"
#include "engines/pieces/block.hpp"

namespace macareu::pieces {

template <class... T>
struct pixel_types {};

template <class... T, std::size_t... I, class Visit>
void with_images(pixel_types<T...>, std::index_sequence<I...>, [[maybe_unused]] const frame& whole,
                 [[maybe_unused]] std::span<const block> from, const Visit& visit) {
  visit(from[I].template image<const T>(whole)...);
}
/// visit(images...) for blocks as images of these pixel types.
template <class... T, class Visit>
void with_images(pixel_types<T...> types, const frame& whole, std::span<const block> from,
                 const Visit& visit) {
  with_images(types, std::make_index_sequence<sizeof...(T)>{}, whole, from, visit);
}

/// The first pixels of blocks become 1: a plan for images of more values than 0.
template <class... T>
void set_ones(pixel_types<T...>, std::span<const block> from) {
  std::size_t i = 0;
  ((*reinterpret_cast<T*>(from[i++].first) = T{1}), ...);
}

}  // namespace macareu::pieces
