// The component pattern on the GPU: the image as a whole, or in blocks.
#pragma once

#include "engines/cuda/component/blocks.cuh"
#include "engines/cuda/runtime/residence.cuh"

namespace macareu::cuda {

template <class Rule, class Label, class T>
std::uint64_t run_component(const gpu& on, residence& images, const Rule& rule, const neighbourhood& near,
                            const view<Label>& labels, const view<const T>& image,
                            std::int64_t block_slices) {
  const bool volume = near.rank == 3;
  const auto read = [&](labels::labelling& block, const host_pixels& there) {
    block.read(rule, view<const T>{reinterpret_cast<const T*>(there.data), there.depth, there.height,
                                   there.width, there.step_z, there.step_y, there.step_x});
  };
  const labels::block_task task{
      {host_pixels_of(image), volume}, {host_pixels_of(labels), volume}, near, !one_class<Rule>, read};
  if (const auto pool = labels::pool_for(on, task, block_slices); !pool.empty())
    return run_blocks(on, task, pool, plan_for(task, pool, labels::room_for(on), block_slices));
  const auto pixels = images.reading(image);
  {
    labels::labelling whole(on, task.shape(task.image.count()));
    whole.read(rule, pixels);
    whole.solve();
    whole.write(images.writing(labels));
  }  // frees its memory while the GPU works
  return labels::labelling::counts(on).all;
}

}  // namespace macareu::cuda
