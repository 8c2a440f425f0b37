// Waves and basins of 32 and 64-bit keys.
#include "engines/cpu/basins/run_basins_impl.hpp"
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

}  // namespace

constinit const wide_wave_kernels own_wide_wave_kernels{kernels_on<std::uint32_t>, kernels_on<std::uint64_t>};

}  // namespace macareu::cpu
