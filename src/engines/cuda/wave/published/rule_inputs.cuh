// The inputs of a rule at one pixel, kept as a value: in registers, or in an array in shared memory.
#pragma once

#include "core/site.hpp"
#include "core/view.hpp"

namespace macareu::cuda {

template <class... In>
struct inputs_at;

template <>
struct inputs_at<> {
  template <class Visit, class... Before>
  __device__ auto with(Visit&& visit, const Before&... before) const {
    return visit(before...);
  }
};

template <class Last>
struct inputs_at<Last> {
  Last value;

  template <class Visit, class... Before>
  __device__ auto with(Visit&& visit, const Before&... before) const {
    return visit(before..., value);
  }
};

template <class First, class Second, class... Rest>
struct inputs_at<First, Second, Rest...> {
  First value;
  inputs_at<Second, Rest...> rest;

  template <class Visit, class... Before>
  __device__ auto with(Visit&& visit, const Before&... before) const {
    return rest.with(visit, before..., value);
  }
};

template <class... In>
__device__ inputs_at<In...> read_inputs(site q, const view<const In>&... in) {
  return {in[q]...};
}

template <class Rule, class State, class... In>
__device__ State offer_of(const Rule& rule, State given, site p, site q, const inputs_at<In...>& in) {
  return in.with([&](const auto&... values) { return rule.offer(given, p, q, values...); });
}

/// Applies the offer of p, with state `given`, to q, which holds `held`. A select instead of a branch keeps
/// chains free of divergence.
template <class Rule, class State, class... In>
__device__ bool take(const Rule& rule, State& held, State given, site p, site q, const inputs_at<In...>& in) {
  const State offer = offer_of(rule, given, p, q, in);
  const bool better = rule.better(offer, held, q);
  held = better ? offer : held;
  return better;
}

}  // namespace macareu::cuda
