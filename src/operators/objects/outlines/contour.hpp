#pragma once

#include <array>
#include <cstdint>

#include "core/call.hpp"
#include "core/wide.hpp"
#include "patterns/images.hpp"
#include "patterns/window.hpp"

namespace macareu::operators {

struct contour {
  static constexpr std::array taken{dtype::boolean};
  static constexpr std::array inputs{input_description{"objects", "a mask"}};
  static constexpr std::array outputs{output_description{"contour", output_description::type_rule::boolean,
                                                         "pixels of objects with a neighbour outside"}};
  static constexpr operator_description about{
      .name = "contour",
      .verb = "contour",
      .group = "objects",
      .pattern = "window",
      .brief = "The pixels of objects that touch the background.",
      .notes = "All neighbours count, 8 or 26. What lies beyond the image touches nothing.",
      .inputs = inputs,
      .outputs = outputs,
      .parameters = {},
      .types = taken,
      .hidden = true,
      .in_pieces = false,
      .formula = "contour(p) = f(p) and not f(q) for some neighbour q of p"};

  template <class T, class Engine>
  static void run(Engine& engine, const call& call) {
    const auto by = [&](const auto& rule) {
      engine.window(rule, border<T>{border_mode::nearest}, output<T>(engine, call, 0),
                    input<T>(engine, call, 0));
    };
    if (call.rank() == 3)
      by(touches_background<3>{});
    else
      by(touches_background<2>{});
  }

  template <int Rank>
  struct touches_background {
    static constexpr bool wide = true;
    using value = std::uint8_t;
    MACAREU_HD static constexpr window_radius radius() { return {Rank == 3, 1, 1}; }

    template <class Near>
    MACAREU_HD auto operator()(site, const Near& near) const {
      const auto slice = [&](int dz) {
        const auto row = [&](int dy) {
          return lesser(near(dz, dy, 0), lesser(near(dz, dy, -1), near(dz, dy, 1)));
        };
        return lesser(row(0), lesser(row(-1), row(1)));
      };
      const auto own = near(0, 0, 0);
      if constexpr (Rank == 3)
        return own - lesser(slice(0), lesser(slice(-1), slice(1)));
      else
        return own - slice(0);
    }
  };
};

}  // namespace macareu::operators
