// Waves of the chosen instruction set. Operators that are compiled for the baseline run them too.
#pragma once

#include <cstdint>

#include "core/call.hpp"
#include "core/function_ref.hpp"
#include "core/neighbourhood.hpp"
#include "engines/cpu/wave/wave_image.hpp"

namespace macareu::cpu {

class binary_planes;

template <class Key>
struct wave_kernel {
  using visit_edge = function_ref<void(std::uint32_t, std::uint32_t, Key)>;

  void (*run)(job& work, const neighbourhood& near, const wave_image<Key>& image);
  void (*contract_to_rim)(job& work, const neighbourhood& near, const wave_image<Key>& image, int threads,
                          visit_edge visit);
};

struct wave_kernels {
  wave_kernel<std::uint8_t> on_8;
  wave_kernel<std::uint16_t> on_16;
  wave_kernel<std::uint32_t> on_32;
  wave_kernel<std::uint64_t> on_64;
  bool (*flood)(binary_planes& planes, const job& work, int threads, const view<std::uint8_t>& states);

  template <class Key>
  const wave_kernel<Key>& on() const {
    if constexpr (sizeof(Key) == 1) return on_8;
    if constexpr (sizeof(Key) == 2) return on_16;
    if constexpr (sizeof(Key) == 4) return on_32;
    if constexpr (sizeof(Key) == 8) return on_64;
  }
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const wave_kernels own_wave_kernels;
const wave_kernels& best_wave_kernels();

}  // namespace macareu::cpu
