// The component pattern on the GPU.
#pragma once

#include <macareu/error.hpp>

#include "engines/cuda/component/labelling.cuh"
#include "engines/cuda/runtime/residence.cuh"

namespace macareu::cuda {

template <class Rule, class Label, class T>
std::uint64_t run_component(const gpu& on, residence& images, const Rule& rule, const neighbourhood& near,
                            const view<Label>& labels, const view<const T>& image) {
  if (words_of_rows(image.depth, image.height, image.width) > most_gpu_words)
    throw device_error(
        "label", "the GPU labels at most 2^26 words of 64 pixels at once; give the image in host memory");
  const auto pixels = images.reading(image);
  {
    labels::labelling whole(on, {image.depth, image.height, image.width, near, !one_class<Rule>});
    whole.read(rule, pixels);
    whole.solve();
    whole.write(images.writing(labels));
  }  // frees its memory while the GPU works
  return labels::labelling::count(on);
}

}  // namespace macareu::cuda
