#include "engines/cuda/wave/contraction/contract.cuh"

template bool macareu::cuda::contract(const macareu::cuda::gpu&,
                                      const macareu::cuda::bottleneck_problem<std::uint16_t>&);
