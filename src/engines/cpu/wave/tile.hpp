// One tile in private memory: states and capacities as rising keys, with a rim of its neighbours' states
// around it. The kernels, compiled once per instruction set, include this file, so it contains no code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace macareu::cpu {

/// A pixel's place in its tile.
struct tile_pixel {
  std::int16_t z, y, x;
};

template <class Key>
struct raised_pixel {
  tile_pixel at;
  Key state;
};

/// Rows are numbered slice by slice, rim rows included: row (z, y) of the tile is
/// (z + 1) * (height + 2) + y + 1.
template <class Key>
struct tile {
  Key* state;     // first own pixel of row 0
  Key* capacity;  // same layout; 0 outside the image, so nothing rises there
  std::ptrdiff_t pitch;
  int width;  // multiple of the widest vector
  int height, depth;
  int reach;  // of the neighbourhood: 1, 2 or 3
  bool volume;

  // One byte per row.
  std::uint8_t* due_forward;   // may change in the next raster pass
  std::uint8_t* due_backward;  // ... in the next anti-raster pass
  std::uint8_t* changed;       // since it was loaded
  std::uint8_t* loaded;

  void (*load)(void* owner, int row);
  void* owner;

  /// Sweeps end when rows_swept reaches this limit, stable or not.
  std::int64_t rows_limit;

  // Counted by the kernel.
  std::int64_t rows_swept;
  std::int64_t passes;
};

}  // namespace macareu::cpu
