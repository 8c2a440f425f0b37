// lines of volumes with little memory. After the first axis all others stay within slices, so temporary
// images cover only a slab of slices.
#pragma once

#include <algorithm>
#include <cstdint>

#include "patterns/line.hpp"

namespace macareu {

/// one_line_after_another by slabs of at most `most` pixels, but at least one slice.
template <class Engine, class Out, class In, class First, class... More>
void lines_by_slabs(Engine& engine, std::int64_t most, const Out& out, const In& in,
                    const along<First>& first, const along<More>&... more) {
  if constexpr (sizeof...(More) > 1) {
    if (first.axis == line_axis::z && ((more.axis != line_axis::z) && ...)) {
      using between = decltype(first.rule.result(first.rule.limit()));
      const auto next = engine.template temporary<between>(in);
      engine.line(first.rule, first.axis, next.image(), in);
      const auto& size = in.pixels();
      const auto depth = size.depth, slice = std::max<std::int64_t>(1, size.height * size.width),
                 slices = std::max<std::int64_t>(1, most / slice);
      for (std::int64_t z = 0; z < depth; z += slices) {
        const auto count = std::min(slices, depth - z);
        one_line_after_another(engine, out.slices(true, z, count), next.reading().slices(true, z, count),
                               more...);
      }
      return;
    }
  }
  one_line_after_another(engine, out, in, first, more...);
}

}  // namespace macareu
