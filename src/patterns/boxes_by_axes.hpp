// boxes along one axis after another, by windows that are lines: for engines that have no running sums.
#pragma once

#include <type_traits>

#include "patterns/boxes.hpp"
#include "patterns/map.hpp"

namespace macareu {

/// Sums along x of what the rule lifts.
template <class Rule>
struct lifted_row {
  Rule rule;
  int term, r;

  MACAREU_HD window_radius radius() const { return {0, 0, r}; }
  template <class Near>
  MACAREU_HD typename Rule::sum operator()(site, const Near& near) const {
    typename Rule::sum sum = 0;
    for (int k = -r; k <= r; ++k) sum += rule.lift(term, near(0, 0, k));
    return sum;
  }
};

/// Sums of sums along y or z.
template <class Sum>
struct line_of_sums {
  bool along_z;
  int r;

  MACAREU_HD window_radius radius() const { return {along_z ? r : 0, along_z ? 0 : r, 0}; }
  template <class Near>
  MACAREU_HD Sum operator()(site, const Near& near) const {
    Sum sum = 0;
    for (int k = -r; k <= r; ++k) sum += near(along_z ? k : 0, along_z ? 0 : k, 0);
    return sum;
  }
};

template <class Rule>
struct box_result {
  Rule rule;
  template <class In, class... Sums>
  MACAREU_HD auto operator()(site p, const In& value, const Sums&... sums) const {
    return rule(p, value, box_sums<Rule>{{sums...}});
  }
};

template <class Engine, class Rule, class In, class Out>
void boxes_by_axes(Engine& engine, const Rule& rule, window_radius radius, const border<In>& edge,
                   const image_in<Engine, Out>& out, const image_in<Engine, const In>& in) {
  using sum = typename Rule::sum;
  static_assert(Rule::terms == 1 || Rule::terms == 2);
  const auto first = temporary<sum>(engine, in), second = temporary<sum>(engine, in),
             between = temporary<sum>(engine, in);
  const auto add_up = [&](int term, const image_in<Engine, sum>& to) {
    // Where all of a line lies outside, every pixel has this sum.
    auto outside = static_cast<sum>(rule.lift(term, edge.outside) * static_cast<sum>(2 * radius.x + 1));
    engine.window(lifted_row<Rule>{rule, term, radius.x}, edge, between.image(), in);
    engine.window(line_of_sums<sum>{false, radius.y}, border<sum>{edge.mode, outside}, to, between.reading());
    if (radius.z == 0) return;
    outside = static_cast<sum>(outside * static_cast<sum>(2 * radius.y + 1));
    engine.window(line_of_sums<sum>{true, radius.z}, border<sum>{edge.mode, outside}, between.image(),
                  to.reading());
    engine.map(as_type<sum>{}, to, between.reading());
  };
  add_up(0, first.image());
  if constexpr (Rule::terms == 1) {
    engine.map(box_result<Rule>{rule}, out, in, first.reading());
  } else {
    add_up(1, second.image());
    engine.map(box_result<Rule>{rule}, out, in, first.reading(), second.reading());
  }
}

}  // namespace macareu
