// Basins (patterns/basins.hpp) in pieces. Pieces exchange d on their rims, and one is visited again where d
// of its rim can still fall. Then every pixel on a rim knows its label, or the pixel on the rim of another
// piece that its path enters. Labels of a piece are computed when it is read.
#pragma once

#include <string>

#include "core/neighbourhood.hpp"
#include "engines/pieces/files/store.hpp"
#include "engines/pieces/run.hpp"

namespace macareu::pieces {

/// For 8, 16, 32 and 64-bit keys.
template <class Key>
node_ptr basins_in_pieces(run& of, const neighbourhood& near, node_ptr passes, node_ptr seeds,
                          const file_form& form);

}  // namespace macareu::pieces
