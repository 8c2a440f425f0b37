// A rule on a part of the image: translates sites from the part's origin to the whole image's.
#pragma once

#include "core/frame.hpp"

namespace macareu {

/// Always inlined: unused arguments then cost nothing, and vectors stay in registers.
///
/// Types, constants and the radius are inherited from the rule. Functions that take a site get that of the
/// whole.
template <class Rule>
struct located : Rule {
  site origin;

  MACAREU_HD const Rule& rule() const { return *this; }

  /// map, window, histogram
  template <class... Arguments>
  [[gnu::always_inline]] MACAREU_HD decltype(auto) operator()(site p, const Arguments&... values) const {
    return rule()(p + origin, values...);
  }
  /// reduce
  template <class... In>
  [[gnu::always_inline]] MACAREU_HD auto lift(site p, const In&... in) const {
    return rule().lift(p + origin, in...);
  }
  /// wave
  template <class... In>
  [[gnu::always_inline]] MACAREU_HD auto capacity(site q, const In&... in) const {
    return rule().capacity(q + origin, in...);
  }
  template <class State, class... In>
  [[gnu::always_inline]] MACAREU_HD State offer(const State& state, site p, site q, const In&... in) const {
    return rule().offer(state, p + origin, q + origin, in...);
  }
  template <class State>
  [[gnu::always_inline]] MACAREU_HD bool better(const State& a, const State& b, site q) const {
    return rule().better(a, b, q + origin);
  }
};

template <class Rule>
located<Rule> located_in(const frame& whole, const Rule& rule) {
  return {rule, whole.origin};
}

}  // namespace macareu
