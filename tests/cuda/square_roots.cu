// The roots that the GPU takes of squared distances, all of those with an arithmetic of their own; and of
// what generated programs convert to float.
#include "../../converter/templates/integer_root.hpp"
#undef sqrtf

#include "cuda/on_gpu.hpp"
#include "engines/cuda/line/finish.cuh"
#include "engines/cuda/runtime/check.hpp"

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

/// Of every float, and of every integer as one: the compiler makes two functions of them.
__global__ void compare_generated_roots(std::uint32_t* wrong) {
  const std::uint32_t step = gridDim.x * blockDim.x;
  std::uint32_t bits = blockIdx.x * blockDim.x + threadIdx.x;
  for (std::uint32_t i = 0; i < (std::uint64_t{1} << 32) / step; ++i, bits += step) {
    const float real = __uint_as_float(bits), whole = static_cast<float>(static_cast<std::int32_t>(bits));
    if (__float_as_uint(::on_gpu::root(real)) != __float_as_uint(__fsqrt_rn(real)) ||
        __float_as_uint(::on_gpu::root(whole)) != __float_as_uint(__fsqrt_rn(whole)))
      atomicAdd(wrong, 1);
  }
}

using square_roots = on_gpu;

template <class Start>
void expect_none_wrong(const Start& start) {
  std::uint32_t* wrong = nullptr;
  cuda::check(cudaMallocHost(&wrong, sizeof(*wrong)), "cudaMallocHost");
  *wrong = 0;
  start(wrong);
  cuda::check(cudaDeviceSynchronize(), "square_roots");
  EXPECT_EQ(*wrong, 0u);
  cudaFreeHost(wrong);
}

constexpr unsigned threads = 256;

TEST_F(square_roots, are_those_of_f64_rounded) {
  expect_none_wrong([](std::uint32_t* wrong) {
    compare_roots<<<2 * cuda::square_root::small / 4 / threads, threads>>>(wrong);
  });
}

TEST_F(square_roots, of_generated_programs_are_rounded) {
  expect_none_wrong([](std::uint32_t* wrong) { compare_generated_roots<<<2048, threads>>>(wrong); });
}

}  // namespace
}  // namespace macareu::test
