#include "patterns/host_rows.hpp"

#include <algorithm>

#include "patterns/tuning.hpp"

namespace macareu {
namespace {

row_image rows_of(const const_image_view& view) {
  const auto& step = view.steps();
  const bool volume = view.shape().rank() == 3;
  const auto bytes = static_cast<std::int64_t>(size_of(view.type()));
  return {static_cast<const std::byte*>(view.data()), view.type(), volume ? step[0] * bytes : 0,
          step[volume ? 1 : 0] * bytes, step[volume ? 2 : 1] * bytes};
}

}  // namespace

void over_bands_in_memory(const call& call, band_visit visit) {
  const auto& shape = call.inputs[0].shape();
  const bool volume = shape.rank() == 3;
  const auto units = volume ? shape.depth() : shape.height();
  const auto unit_pixels = shape.width() * (volume ? shape.height() : 1);
  const auto batch = std::max<std::int64_t>(
      1, std::min(tuning::pixels_a_host_band / unit_pixels, units / tuning::least_host_bands));
  std::vector<row_image> images(call.inputs.size());
  pass_over_units pass(call.work, units);
  for (std::int64_t begin = 0; begin < units; begin += batch) {
    call.work.check_stop();
    pass.tell(begin);
    for (std::size_t i = 0; i < images.size(); ++i) {
      if (!call.has_input(i)) continue;
      images[i] = rows_of(call.inputs[i]);
      images[i].first += begin * (volume ? images[i].step_z : images[i].step_y);
    }
    const auto count = std::min(batch, units - begin);
    visit({.first = volume ? site{begin, 0, 0} : site{0, begin, 0},
           .depth = volume ? count : 1,
           .height = volume ? shape.height() : count,
           .width = shape.width(),
           .images = images});
  }
}

}  // namespace macareu
