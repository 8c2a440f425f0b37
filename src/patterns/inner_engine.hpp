// inner_engine: what engines/pieces needs of the engine inside: images in memory, and stages of two patterns
// by themselves.
//   edge_levels(rule, how, levels, kept, source)     all stages of `edges` but the last
//   tally_band(rule, count, band, labels, in...)     `tally` of a band; rules look at the rows beside it
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "core/call.hpp"
#include "patterns/engine.hpp"

namespace macareu {

template <class E>
concept marks_edge_levels = requires(E& e, const smoothing& how, const image_in<E, std::uint8_t>& levels,
                                     const image_in<E, const probe::pixel>& in,
                                     const kept_stages<image_in<E, float>, image_in<E, std::uint8_t>>& kept) {
  e.edge_levels(probe::edge_rule{}, how, levels, kept, mapped(as_type<float>{}, in));
};

template <class E>
concept tallies_bands = requires(E& e, const image_in<E, const std::uint32_t>& labels) {
  {
    e.tally_band(probe::row_rule{}, std::uint64_t{1}, tally_band{0, 1}, labels)
    } -> std::convertible_to<std::span<const probe::row_rule::row>>;
};

template <class E>
concept inner_engine =
    pattern_engine<E> && std::derived_from<E, images_in_memory> && marks_edge_levels<E> && tallies_bands<E>;

}  // namespace macareu
