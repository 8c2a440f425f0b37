// A row of map_channels on the cpu.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/view.hpp"

namespace macareu::cpu {

/// The channels of an image have one step.
template <class Rule, class Out, class In, std::size_t Outputs>
void map_channel_row(const Rule& rule, site p, std::int64_t count, std::array<Out*, Outputs> out,
                     std::int64_t out_step, std::array<const In*, 3> in, std::int64_t in_step) {
  const auto visit = [&](std::int64_t to, std::int64_t from) {
    for (std::int64_t x = 0; x < count; ++x) {
      const auto values = rule(site{p.z, p.y, p.x + x}, in[0][x * from], in[1][x * from], in[2][x * from]);
      if constexpr (Outputs == 1)
        out[0][x * to] = values;
      else
        for (std::size_t c = 0; c < Outputs; ++c) out[c][x * to] = values[c];
    }
  };
  if (out_step == Outputs && in_step == 3)  // constants, which make addresses cheap
    visit(Outputs, 3);
  else
    visit(out_step, in_step);
}

}  // namespace macareu::cpu
