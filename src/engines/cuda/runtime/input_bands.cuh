// Inputs of a call, band by band on the host.
#pragma once

#include "engines/cuda/runtime/gpu.cuh"
#include "patterns/host_rows.hpp"

namespace macareu::cuda {

/// Memory that the host can read is read in place.
void over_input_bands(const gpu& on, const call& call, band_visit visit);

}  // namespace macareu::cuda
