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

struct sweep_kernels {
  sweep_kernel<std::uint8_t> on_8;
  sweep_kernel<std::uint16_t> on_16;
  sweep_kernel<std::uint32_t> on_32;
  sweep_kernel<std::uint64_t> on_64;

  template <class Key>
  const sweep_kernel<Key>& on() const {
    if constexpr (sizeof(Key) == 1) return on_8;
    if constexpr (sizeof(Key) == 2) return on_16;
    if constexpr (sizeof(Key) == 4) return on_32;
    if constexpr (sizeof(Key) == 8) return on_64;
  }
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const sweep_kernels own_sweep_kernels;
const sweep_kernels& best_sweep_kernels();

}  // namespace macareu::cpu
