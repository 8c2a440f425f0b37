// Contraction: reconstruction at a cost that does not depend on the length of paths
// (docs/explanation/engines.md).
//
// Every tile is reduced to a graph on its rim pixels: what they reach from markers inside, and how wide the
// tile connects them. The graph of all rims is solved from the source, and each tile is solved again with the
// values of its rim.
#pragma once

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/tile_solver.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

/// Nodes of the graph are numbered in 32 bits: some 10^11 pixels, or 10^10 voxels.
template <class Key>
bool can_contract(const neighbourhood& near, const wave_image<Key>& image);

/// Of the graph, in bytes, estimated: one and a half edges a node.
template <class Key>
std::int64_t contraction_memory(const neighbourhood& near, const wave_image<Key>& image);

template <class Key>
void contract(job& work, const neighbourhood& near, const wave_image<Key>& image, contract_from from,
              int threads);

}  // namespace macareu::cpu
