// Levels of pixels by tiles, as an image too large for labels has them, against those of one kernel a stage.
#include "cuda/on_gpu.hpp"
#include "engines/cuda/edges/edges.cuh"
#include "engines/cuda/runtime/open_gpu.cuh"
#include "operators/edges/canny_itk.hpp"

namespace macareu::test {
namespace {

using edge_levels = on_gpu;

std::vector<double> weights_of(int reach) {
  std::vector<double> half{0.4};
  for (int k = 1; k <= reach; ++k) half.push_back(0.3 / reach);
  return half;
}

/// `reach_y` and `reach_x` alike and few: with walks; else by sums from memory.
template <class Pixel>
void compare(const extents& shape, int reach_y, int reach_x) {
  const context how{.device = "cuda"};
  job work{how, {}};
  const cuda::gpu on = cuda::open_gpu(work);
  const noise_pair given(shape);
  const std::vector<Pixel> pixels(given.mask.begin(), given.mask.end());
  const auto count = static_cast<std::int64_t>(pixels.size());
  const cuda::device_array<Pixel> there(on, count);
  cuda::check(cudaMemcpy(there.data(), pixels.data(), pixels.size() * sizeof(Pixel), cudaMemcpyHostToDevice),
              "cudaMemcpy");
  const view<const Pixel> in{there.data(), 1, shape.height(), shape.width(), count, shape.width(), 1};
  smoothing smooth;
  smooth.edge = {border_mode::nearest, 0};
  smooth.weights[1] = weights_of(reach_y);
  smooth.weights[2] = weights_of(reach_x);
  const itk_canny<float, 2> rule(3, 12);
  const cuda::device_array<std::uint8_t> tiles(on, count), stages(on, count);
  const auto levels = [&](const cuda::device_array<std::uint8_t>& memory) {
    return view<std::uint8_t>{memory.data(), 1, shape.height(), shape.width(), count, shape.width(), 1};
  };
  ASSERT_TRUE(cuda::mark_levels(on, rule, smooth, as_type<float>{}, in, levels(tiles)));
  cuda::mark_by_stages(on, rule, smooth, as_type<float>{}, in, {}, levels(stages));
  std::vector<std::uint8_t> got(pixels.size()), expected(pixels.size());
  cuda::check(cudaMemcpy(got.data(), tiles.data(), got.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  cuda::check(cudaMemcpy(expected.data(), stages.data(), got.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  EXPECT_EQ(got, expected) << to_string(shape) << ", " << reach_y << " and " << reach_x;
}

TEST_F(edge_levels, are_those_of_stages) {
  for (const auto& shape : {extents{1, 1}, extents{1, 300}, extents{300, 1}, extents{28, 128},
                            extents{29, 129}, extents{200, 333}}) {
    for (const int reach : {1, 3, 4, 5, 6, 8, 11}) compare<std::uint8_t>(shape, reach, reach);
    compare<std::uint8_t>(shape, 2, 5);
    compare<std::int32_t>(shape, 4, 4);
  }
}

}  // namespace
}  // namespace macareu::test
