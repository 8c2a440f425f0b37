// lines of volumes with little memory: behind the first axis the others stay within slices, so that what lies
// between them is kept of a slab of slices only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "patterns/line.hpp"

namespace macareu {

template <class T>
view<T> slices_of(view<T> volume, std::int64_t first, std::int64_t count) {
  volume.data += first * volume.step_z;
  volume.depth = count;
  return volume;
}

/// one_line_after_another, where a slab is at least a slice, and no more than `most` pixels otherwise.
template <class Engine, class Out, class In, class First, class... More>
void lines_by_slabs(Engine& engine, std::int64_t most, view<Out> out, view<const In> in,
                    const along<First>& first, const along<More>&... more) {
  if constexpr (sizeof...(More) > 1) {
    if (first.axis == line_axis::z && ((more.axis != line_axis::z) && ...)) {
      using between = decltype(first.rule.result(first.rule.limit()));
      const auto next = engine.temporary(view<const between>{nullptr, in.depth, in.height, in.width});
      engine.line(first.rule, first.axis, next.pixels(), in);
      const auto slice = std::max<std::int64_t>(1, in.height * in.width),
                 slices = std::max<std::int64_t>(1, most / slice);
      for (std::int64_t z = 0; z < in.depth; z += slices) {
        const auto count = std::min(slices, in.depth - z);
        one_line_after_another(engine, slices_of(out, z, count),
                               slices_of(view<const between>(next.pixels()), z, count), more...);
      }
      return;
    }
  }
  one_line_after_another(engine, out, in, first, more...);
}

}  // namespace macareu
