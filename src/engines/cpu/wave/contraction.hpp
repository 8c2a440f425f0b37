// Contraction: reconstruction at a cost that does not depend on path length (docs/explanation/engines.md).
//
// Every tile is reduced to a graph on its rim pixels: the values they get from markers inside, and the widest
// paths between them. The graph of all rims is solved. Then each tile is solved again with its rim values.
#pragma once

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/tile_solver.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

/// Node numbers have 32 bits, enough for some 10^11 pixels or 10^10 voxels.
template <class Key>
bool can_contract(const neighbourhood& near, const wave_image<Key>& image);

/// Estimated memory of the graph in bytes, at one and a half edges per node.
template <class Key>
std::int64_t contraction_memory(const neighbourhood& near, const wave_image<Key>& image);

template <class Key>
void contract(job& work, const neighbourhood& near, const wave_image<Key>& image, contract_from from,
              int threads);

/// How widely a solved image connects the pixels of its rim, beyond their values: visit(a, b, weight) for the
/// edges of a spanning forest, with the numbers of rim_numbering. Neighbours along an axis on the rim are
/// joined too; their edges are not visited.
template <class Key>
void contract_to_rim(job& work, const neighbourhood& near, const wave_image<Key>& image, int threads,
                     function_ref<void(std::uint32_t, std::uint32_t, Key)> visit);

}  // namespace macareu::cpu
