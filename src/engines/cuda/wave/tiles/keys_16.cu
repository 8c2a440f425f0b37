#include "engines/cuda/wave/tiles/run.cuh"

namespace macareu::cuda {
template tile_result run_tiles(const gpu&, const bottleneck_problem<std::uint16_t>&,
                               const std::function<void()>&);
}
