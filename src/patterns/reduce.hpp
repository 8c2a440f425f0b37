// reduce (R2S): join over all pixels of lift(p, in(p)...).
//
// Laws. join is associative and commutative, and identity() is neutral. Every engine and number of threads
// then gives the same bits. Sums of integers obey these laws, sums of floats do not.
#pragma once

#include <concepts>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

template <class Rule, class... In>
concept reduce_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, typename Rule::value a, site p, const In&... in) {
  { rule.identity() } -> std::same_as<typename Rule::value>;
  { rule.lift(p, in...) } -> std::same_as<typename Rule::value>;
  { rule.join(a, a) } -> std::same_as<typename Rule::value>;
};

}  // namespace macareu
