// The kernels of the tile engine: raster and anti-raster passes over a tile until nothing changes.
#pragma once

#include "engines/cpu/wave/tile.hpp"

namespace macareu::cpu {

/// The widest vector of any instruction set, in bytes: tiles are padded to it.
inline constexpr int widest_vector = 64;

template <class Key>
struct sweep_kernel {
  /// Returns true when nothing can rise any more, false at the tile's limit of rows.
  bool (*sweep)(tile<Key>&);
  /// Finds the pixels of due rows that a neighbour can raise, with the state each would get. Returns their
  /// number, or -1 if there are more than `most`.
  int (*find_raisable)(tile<Key>&, raised_pixel<Key>* found, int most);
};

}  // namespace macareu::cpu
