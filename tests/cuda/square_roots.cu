// The roots that the GPU takes of squared distances, all of those with an arithmetic of their own.
#include "cuda/on_gpu.hpp"
#include "engines/cuda/check.hpp"
#include "engines/cuda/line/finish.cuh"

namespace macareu::test {
namespace {

__global__ void compare_roots(std::uint32_t* wrong) {
  const cuda::square_root root{~0u, 0};
  const std::uint32_t v = 4 * (blockIdx.x * blockDim.x + threadIdx.x), four[4]{v, v + 1, v + 2, v + 3};
  float found[4];
  root(four, found);
  for (int i = 0; i < 4; ++i)
    if (found[i] != static_cast<float>(sqrt(static_cast<double>(four[i])))) atomicAdd(wrong, 1);
}

using square_roots = on_gpu;

TEST_F(square_roots, are_those_of_f64_rounded) {
  std::uint32_t* wrong = nullptr;
  cuda::check(cudaMallocHost(&wrong, sizeof(*wrong)), "cudaMallocHost");
  *wrong = 0;
  constexpr unsigned threads = 256;
  compare_roots<<<2 * cuda::square_root::small / 4 / threads, threads>>>(wrong);
  cuda::check(cudaDeviceSynchronize(), "compare_roots");
  EXPECT_EQ(*wrong, 0u);
  cudaFreeHost(wrong);
}

}  // namespace
}  // namespace macareu::test
