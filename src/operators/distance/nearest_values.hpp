// Gives every pixel the value of the nearest pixel that is not zero.
#pragma once

#include "core/call.hpp"
#include "operators/common/masks.hpp"
#include "operators/distance/nearest.hpp"
#include "patterns/images.hpp"

namespace macareu {

/// The parameters are metric, spacing and max_distance.
template <class T, class Engine>
void give_nearest_values(Engine& engine, const call& call) {
  const distance_axes axes(call);
  const auto image = axes.of(plain(input<T>(engine, call, 0)));
  with_bytes(engine, image, [&](const auto& sites) {
    carry_nearest(engine, axes.plan(), false, sites,
                  carried_images{axes.of(as_bits(output<T>(engine, call, 0))), as_bits(image)});
  });
}

}  // namespace macareu
