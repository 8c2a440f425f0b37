// Waves and basins of the chosen instruction set. Operators that are compiled for the baseline run them too.
#pragma once

#include <cstdint>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/basins/run_basins.hpp"
#include "engines/cpu/wave/sweep.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

class binary_planes;

template <class Key>
struct wave_kernels {
  using visit_edge = function_ref<void(std::uint32_t, std::uint32_t, Key)>;

  void (*run)(job& work, const neighbourhood& near, const wave_image<Key>& image);
  void (*contract_to_rim)(job& work, const neighbourhood& near, const wave_image<Key>& image, int threads,
                          visit_edge visit);
  sweep_kernel<Key> sweep;
  basin_kernel<Key> basins;
};

struct narrow_wave_kernels {
  wave_kernels<std::uint8_t> on_8;
  wave_kernels<std::uint16_t> on_16;
  bool (*flood)(binary_planes& planes, const job& work, int threads, const view<std::uint8_t>& states);
};

struct wide_wave_kernels {
  wave_kernels<std::uint32_t> on_32;
  wave_kernels<std::uint64_t> on_64;
};

/// Of the instruction set that this is compiled for. A build for slides has no wide ones.
extern const narrow_wave_kernels own_narrow_wave_kernels;
extern const wide_wave_kernels own_wide_wave_kernels;

/// Of the chosen instruction set.
template <class Key>
const wave_kernels<Key>& best_wave_kernels();
template <>
const wave_kernels<std::uint8_t>& best_wave_kernels();
template <>
const wave_kernels<std::uint16_t>& best_wave_kernels();
template <>
const wave_kernels<std::uint32_t>& best_wave_kernels();
template <>
const wave_kernels<std::uint64_t>& best_wave_kernels();
bool flood_by_best_kernel(binary_planes& planes, const job& work, int threads,
                          const view<std::uint8_t>& states);

}  // namespace macareu::cpu
