// map (P2P): out(p) = rule(p, in(p)...).
//
// Laws. The rule is a pure function: equal arguments give equal results, in any order and number of calls.
// Scalars are members of the rule, images are arguments of the call. `out` may be one of the inputs.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "core/framed.hpp"

namespace macareu {

template <class Rule, class Out, class... In>
concept map_rule = std::is_trivially_copyable_v<Rule> && requires(const Rule rule, site p, const In&... in) {
  { rule(p, in...) } -> std::convertible_to<Out>;
};

/// Converts the value to another type.
template <class To>
struct as_type {
  template <class T>
  MACAREU_HD To operator()(site, T value) const {
    return static_cast<To>(value);
  }
};

/// An image that is computed where it is read, so an engine can fuse it into its first pass.
template <class Rule, class... Images>
struct mapped {
  Rule rule;
  std::tuple<Images...> in;

  mapped(Rule r, Images... images) : rule(r), in(images...) {}

  /// For images in memory; p is relative to the part.
  auto operator[](site p) const {
    return std::apply([&](const auto&... image) { return rule(p + origin(), image.pixels()[p]...); }, in);
  }

  /// visit(i, value) for `count` pixels of a row from `first` on.
  template <class Visit>
  void over_row(site first, std::int64_t count, Visit&& visit) const {
    const site from = first + origin();
    const auto each = [&](std::int64_t i, const typename Images::pixel&... value) {
      visit(i, rule(site{from.z, from.y, from.x + i}, value...));
    };
    std::apply([&](const auto&... image) { macareu::over_row(first, count, each, image.pixels()...); }, in);
  }

 private:
  site origin() const { return std::get<0>(in).origin(); }
};

template <class Rule, class... Images>
mapped(Rule, Images...) -> mapped<Rule, Images...>;

}  // namespace macareu
