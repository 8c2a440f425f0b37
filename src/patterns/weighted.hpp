// weighted (N2P, linear): out(p) = weight * near(offset) added over all taps, in their order, in type F.
//
// separable is one sum per axis, along z, then y, then x. Each works on the result of the one before, rounded
// to F: centre * w[0], then for k = r ... 1 added (near(-k) + near(k)) * w[k], or (near(k) - near(-k)) * w[k]
// where the axis is odd. The border applies to every step; a constant border means that value for
// intermediate sums too. The order is SciPy's.
//
// Laws. Every product and every sum is rounded to F, never fused, so every engine gives the same bits. `out`
// is not the input.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <vector>

#include "patterns/images.hpp"
#include "patterns/map.hpp"
#include "patterns/window.hpp"

namespace macareu {

template <class F>
struct tap {
  int dz, dy, dx;
  F weight;
};

/// w[0] ... w[r] for z, y and x; an axis without weights is skipped.
template <class F>
using symmetric_weights = std::array<std::vector<F>, 3>;

template <class F>
struct separable_weights : symmetric_weights<F> {
  std::array<bool, 3> odd{};
};

template <class F>
window_radius radius_of(const symmetric_weights<F>& weights) {
  const auto along = [](const std::vector<F>& half) {
    return half.empty() ? 0 : static_cast<int>(half.size()) - 1;
  };
  return {along(weights[0]), along(weights[1]), along(weights[2])};
}

template <class F>
window_radius radius_of(std::span<const tap<F>> taps) {
  const auto further = [](int& radius, int offset) { radius = std::max(radius, std::abs(offset)); };
  window_radius radius{0, 0, 0};
  for (const auto& each : taps) {
    further(radius.z, each.dz);
    further(radius.y, each.dy);
    further(radius.x, each.dx);
  }
  return radius;
}

/// One axis; the weights are in memory of the engine.
template <class F>
struct axis_sum {
  const F* half;
  int r;
  int axis;  // 0: z, 1: y, 2: x
  bool odd = false;

  MACAREU_HD window_radius radius() const {
    return {axis == 0 ? r : 0, axis == 1 ? r : 0, axis == 2 ? r : 0};
  }
  template <class Near>
  MACAREU_HD F operator()(site, const Near& near) const {
    const auto at = [&](int k) {
      return static_cast<F>(near(axis == 0 ? k : 0, axis == 1 ? k : 0, axis == 2 ? k : 0));
    };
    F sum = at(0) * half[0];
    if (odd)
      for (int k = r; k > 0; --k) sum += (at(k) - at(-k)) * half[k];
    else
      for (int k = r; k > 0; --k) sum += (at(-k) + at(k)) * half[k];
    return sum;
  }
};

/// The taps are in memory of the engine.
template <class F>
struct weighted_sum_of {
  const tap<F>* taps;
  int count;
  window_radius reach;

  MACAREU_HD window_radius radius() const { return reach; }
  template <class Near>
  MACAREU_HD F operator()(site, const Near& near) const {
    F sum = 0;
    for (int i = 0; i < count; ++i)
      sum += taps[i].weight * static_cast<F>(near(taps[i].dz, taps[i].dy, taps[i].dx));
    return sum;
  }
};

/// separable and weighted by definition: the fallback of engines.
template <class Engine, class F, class Out, class In>
void separable_by_windows(Engine& engine, const separable_weights<F>& weights, const border<F>& edge,
                          const Out& out, const In& in) {
  const auto from = engine.template temporary<F>(in);
  engine.map(as_type<F>{}, from.image(), in);
  for (int axis = 0; axis < 3; ++axis) {
    const auto& half = weights[static_cast<std::size_t>(axis)];
    if (half.empty()) continue;
    const bool odd = weights.odd[static_cast<std::size_t>(axis)];
    engine.window(axis_sum<F>{half.data(), static_cast<int>(half.size()) - 1, axis, odd}, edge, out,
                  from.reading());
    engine.map(as_type<F>{}, from.image(), out.reading());
  }
  engine.map(as_type<F>{}, out, from.reading());
}

template <class Engine, class F, class Out, class In>
void weighted_by_window(Engine& engine, std::span<const tap<F>> taps, const border<F>& edge, const Out& out,
                        const In& in) {
  const auto from = engine.template temporary<F>(in);
  engine.map(as_type<F>{}, from.image(), in);
  engine.window(weighted_sum_of<F>{taps.data(), static_cast<int>(taps.size()), radius_of(taps)}, edge, out,
                from.reading());
}

/// An optional ability of engines: a map of the sums as they are written.
template <class Engine, class Rule, class F, class Out, class In>
concept maps_sums = requires(Engine& engine, const Rule& rule, const separable_weights<F>& weights,
                             const border<F>& edge, const image_in<Engine, Out>& out,
                             const image_in<Engine, const In>& in) {
  engine.map_sums(rule, weights, edge, out, in);
};

/// out = rule(separable sums of in). The default keeps the sums in a temporary image.
template <class F, class In, class Out, class Engine, class Rule>
requires map_rule<Rule, Out, F>
void map_of_sums(Engine& engine, const Rule& rule, const separable_weights<F>& weights, const border<F>& edge,
                 const image_in<Engine, Out>& out, const image_in<Engine, const In>& in) {
  if constexpr (maps_sums<Engine, Rule, F, Out, In>) {
    engine.map_sums(rule, weights, edge, out, in);
  } else {
    const auto sums = temporary<F>(engine, in);
    engine.separable(weights, edge, sums.image(), in);
    engine.map(rule, out, sums.reading());
  }
}

}  // namespace macareu
