// Waves and basins of 8 and 16-bit keys.
#include "engines/cpu/basins/run_basins_impl.hpp"
#include "engines/cpu/wave/binary.hpp"
#include "engines/cpu/wave/contraction_impl.hpp"
#include "engines/cpu/wave/run_bottleneck_impl.hpp"
#include "engines/cpu/wave/sweep_impl.hpp"
#include "engines/cpu/wave/tiles_impl.hpp"
#include "engines/cpu/wave/wave_kernels.hpp"

namespace macareu::cpu {
namespace {

template <class Key>
constexpr wave_kernels<Key> kernels_on{&run_bottleneck<Key>, &contract_to_rim<Key>, own_sweep_kernel<Key>,
                                       &run_basins<Key>};

bool flood_planes(binary_planes& planes, const job& work, int threads, const view<std::uint8_t>& states) {
  return planes.flood(work, threads, states);
}

}  // namespace

constinit const narrow_wave_kernels own_narrow_wave_kernels{kernels_on<std::uint8_t>,
                                                            kernels_on<std::uint16_t>, &flood_planes};

}  // namespace macareu::cpu
