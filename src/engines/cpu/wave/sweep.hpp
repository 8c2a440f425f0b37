// The kernel of the tile engine: raster and anti-raster passes over a tile until nothing changes.
#pragma once

#include "engines/cpu/wave/tile.hpp"

namespace macareu::cpu {

/// The widest vector of any instruction set, in bytes: tiles are padded to it.
inline constexpr int widest_vector = 64;

struct sweep_kernels {
  const char* instruction_set;
  void (*sweep_8)(tile<std::uint8_t>&);
  void (*sweep_16)(tile<std::uint16_t>&);
  void (*sweep_32)(tile<std::uint32_t>&);
  void (*sweep_64)(tile<std::uint64_t>&);
};

/// The best this processor can run.
const sweep_kernels& best_sweep_kernels();

inline void sweep(const sweep_kernels& with, tile<std::uint8_t>& t) { with.sweep_8(t); }
inline void sweep(const sweep_kernels& with, tile<std::uint16_t>& t) { with.sweep_16(t); }
inline void sweep(const sweep_kernels& with, tile<std::uint32_t>& t) { with.sweep_32(t); }
inline void sweep(const sweep_kernels& with, tile<std::uint64_t>& t) { with.sweep_64(t); }

}  // namespace macareu::cpu
