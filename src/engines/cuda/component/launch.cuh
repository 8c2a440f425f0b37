// Launches of labelling kernels, which overlap by programmatic dependent launch.
#pragma once

#include "engines/cuda/runtime/dependent_launch.cuh"

namespace macareu::cuda::labels {

template <class... Parameters, class... Arguments>
void launch(const gpu& on, start when, const char* name, void (*kernel)(Parameters...), std::uint32_t blocks,
            int threads, const Arguments&... arguments) {
  launch_when(when, on, name, kernel, dim3(blocks), dim3(static_cast<unsigned>(threads)), 0, arguments...);
}

}  // namespace macareu::cuda::labels
