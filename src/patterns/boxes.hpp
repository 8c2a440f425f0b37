// boxes, an optional ability of engines: sums over a box around every pixel, in time that does not depend on
// its size, out(p) = rule(p, in(p), sums), where sums[t] adds rule.lift(t, q) over all pixels q of the box.
// The border defines pixels outside the image. The fallback is a window (box_window).
//
// Laws. lift is pure, and gives unsigned integers, which wrap around: sums are exact in any order. `out` is
// not the input.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "patterns/images.hpp"
#include "patterns/window.hpp"

namespace macareu {

template <class Rule>
struct box_sums {
  typename Rule::sum of[Rule::terms];
};

template <class Rule, class Out, class In>
concept box_rule = std::is_trivially_copyable_v<Rule> && std::is_unsigned_v<typename Rule::sum> &&
    requires(const Rule rule, site p, const In& in, const box_sums<Rule>& sums) {
  { rule.lift(int{}, in) } -> std::same_as<typename Rule::sum>;
  { rule(p, in, sums) } -> std::convertible_to<Out>;
};

/// By definition.
template <class Rule>
struct box_window {
  Rule rule;
  window_radius reach;

  MACAREU_HD window_radius radius() const { return reach; }
  template <class Near>
  MACAREU_HD auto operator()(site p, const Near& near) const {
    box_sums<Rule> sums{};
    for (int dz = -reach.z; dz <= reach.z; ++dz)
      for (int dy = -reach.y; dy <= reach.y; ++dy)
        for (int dx = -reach.x; dx <= reach.x; ++dx)
          for (int t = 0; t < Rule::terms; ++t) sums.of[t] += rule.lift(t, near(dz, dy, dx));
    return rule(p, near(0, 0, 0), sums);
  }
};

template <class Engine, class Rule, class Out, class In>
concept sums_boxes = requires(Engine& engine, const Rule& rule, const border<In>& edge,
                              const image_in<Engine, Out>& out, const image_in<Engine, const In>& in) {
  engine.boxes(rule, window_radius{}, edge, out, in);
};

template <class Engine, class Rule, class In, class Out>
requires box_rule<Rule, Out, In>
void sum_boxes(Engine& engine, const Rule& rule, window_radius radius, const border<In>& edge,
               const image_in<Engine, Out>& out, const image_in<Engine, const In>& in) {
  if constexpr (sums_boxes<Engine, Rule, Out, In>)
    engine.boxes(rule, radius, edge, out, in);
  else
    engine.window(box_window<Rule>{rule, radius}, edge, out, in);
}

}  // namespace macareu
