// Contraction: reconstruction at a cost that does not depend on the length of paths (docs/design.md).
//
// Every tile is reduced to a graph on its rim pixels: what they reach from markers inside, and how wide the
// tile connects them. The graph of all rims is solved from the source, and each tile is solved again with the
// values of its rim.
#pragma once

#include "core/call.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

/// Continues from the states in the image, which every tile has published, or from the start.
enum class contract_from { states, start };

template <class Key>
void contract(job& work, const neighbourhood& near, const wave_image<Key>& image, contract_from from,
              int threads);

}  // namespace macareu::cpu
