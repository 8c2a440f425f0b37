// map (P2P): out(p) = rule(p, in(p)...).
//
// Laws. The rule is a pure function: the same arguments give the same result, in any order and number of
// calls. Scalars are members of the rule, images are arguments of the call. `out` may be one of the inputs.
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

template <class Rule, class Out, class... In>
concept map_rule = std::is_trivially_copyable_v<Rule> && requires(const Rule rule, site p, const In&... in) {
  { rule(p, in...) } -> std::convertible_to<Out>;
};

/// The value in another type.
template <class To>
struct as_type {
  template <class T>
  MACAREU_HD To operator()(site, T value) const {
    return static_cast<To>(value);
  }
};

/// An image that is computed where it is read, so that an engine can fuse it into its own first pass.
template <class Rule, class... In>
struct mapped {
  Rule rule;
  std::tuple<view<const In>...> in;

  mapped(Rule r, view<const In>... images) : rule(r), in(images...) {}

  MACAREU_HD auto operator[](site p) const {
    return std::apply([&](const auto&... image) { return rule(p, image[p]...); }, in);
  }

  /// visit(i, value) for `count` pixels of a row from `first` on.
  template <class Visit>
  void over_row(site first, std::int64_t count, Visit&& visit) const {
    const auto each = [&](std::int64_t i, const In&... value) {
      visit(i, rule(site{first.z, first.y, first.x + i}, value...));
    };
    std::apply([&](const auto&... image) { macareu::over_row(first, count, each, image...); }, in);
  }
};

template <class Rule, class... Views>
mapped(Rule, Views...) -> mapped<Rule, std::remove_const_t<std::remove_pointer_t<decltype(Views::data)>>...>;

}  // namespace macareu
