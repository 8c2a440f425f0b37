// wave (IWPP): states propagate from pixel to neighbour until none improves.
//
// A general rule has two functions. offer(state at p, p, q, inputs at q) is the state that p passes to its
// neighbour q. better(a, b, q) is the order of states at q.
//
// Laws. better(., ., q) is a strict order, and an offer is never better than its source, so no state improves
// for ever. A rule is confluent if also better ignores q and offer is isotone (a better state never makes a
// worse offer). Every visiting order then reaches the same states, so all engines give the same bits. Such a
// rule declares `static constexpr bool confluent = true`.
//
// The states start as an image of the same size, usually `mapped` from the inputs, clipped to the capacity.
// The state's image may be one that the start reads, never one that the rule reads.
#pragma once

#include <concepts>
#include <type_traits>

#include "core/key.hpp"
#include "core/view.hpp"

namespace macareu {

enum class direction { up, down };

/// A start that must not lie beyond the capacity. `refuse` searches for a pixel that does, and throws. An
/// engine that has already excluded such pixels need not call it. It is called before an image in host memory
/// changes.
template <class Start, class Refuse>
struct guarded {
  Start start;
  Refuse refuse;
};
template <class Start, class Refuse>
guarded(Start, Refuse) -> guarded<Start, Refuse>;

/// The algebra of a bottleneck rule, which states the capacity of a pixel. In the order of keys:
///   up:   offer = min(state, capacity(q)), better = greater     (the wave rises under a ceiling)
///   down: offer = max(state, capacity(q)), better = less        (it sinks onto a floor)
/// Such a rule is confluent.
template <direction Toward>
struct bottleneck {
  static constexpr direction toward = Toward;
};

template <class Rule, class State, class... In>
concept bottleneck_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, site q, const In&... in) {
  { Rule::algebra::toward } -> std::convertible_to<direction>;
  { rule.capacity(q, in...) } -> std::same_as<State>;
};

/// The capacity is the only input, unchanged: an engine reads it in place.
template <class Rule>
inline constexpr bool capacity_is_input = false;
template <class Rule>
requires requires { Rule::capacity_is_input; }
inline constexpr bool capacity_is_input<Rule> = Rule::capacity_is_input;

/// The capacity as a map, for engines that read it from an image.
template <class Rule>
struct capacity_of {
  Rule rule;
  template <class... In>
  MACAREU_HD auto operator()(site q, const In&... in) const {
    return rule.capacity(q, in...);
  }
};

/// States and capacities of an upward rule are bytes of 0 and 1.
template <class Rule>
inline constexpr bool is_binary = false;
template <class Rule>
requires requires { Rule::binary; }
inline constexpr bool is_binary<Rule> = Rule::binary;

/// The start is its first input, unchanged: an engine reads it in place.
template <class StartRule>
inline constexpr bool start_is_input = false;
template <class StartRule>
requires requires { StartRule::is_input; }
inline constexpr bool start_is_input<StartRule> = StartRule::is_input;

/// The start is its first input on the border of the image and the worst value inside: an engine need not
/// write it.
template <class StartRule>
inline constexpr bool start_is_border = false;
template <class StartRule>
requires requires { StartRule::is_border; }
inline constexpr bool start_is_border<StartRule> = StartRule::is_border;

/// Starts from an unchanged image.
struct as_given {
  static constexpr bool is_input = true;
  template <class T, class... Rest>
  MACAREU_HD T operator()(site, T first, const Rest&...) const {
    return first;
  }
};

template <class Rule, class State, class... In>
concept general_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, State s, site p, site q, const In&... in) {
  { rule.offer(s, p, q, in...) } -> std::same_as<State>;
  { rule.better(s, s, q) } -> std::same_as<bool>;
  { Rule::confluent } -> std::convertible_to<bool>;
};

template <class Rule, class State, class... In>
concept wave_rule = bottleneck_rule<Rule, State, In...> || general_rule<Rule, State, In...>;

/// Keys in the direction of a bottleneck rule: greater is better, so engines need only one direction.
template <direction Toward, class T>
MACAREU_HD constexpr key_of<T> rising_key(T value) {
  const auto key = to_key(value);
  return Toward == direction::up ? key : static_cast<key_of<T>>(~key);
}

template <direction Toward, class T>
MACAREU_HD constexpr T from_rising_key(key_of<T> key) {
  return from_key<T>(Toward == direction::up ? key : static_cast<key_of<T>>(~key));
}

/// Adapts a bottleneck rule to the interface of a general one.
template <class Rule>
struct as_general {
  static constexpr bool confluent = true;
  static constexpr direction toward = Rule::algebra::toward;
  Rule rule;

  template <class T>
  MACAREU_HD bool better(T a, T b, site) const {
    return rising_key<toward>(a) > rising_key<toward>(b);
  }
  template <class T, class... In>
  MACAREU_HD T offer(T state, site, site q, const In&... in) const {
    const T capacity = rule.capacity(q, in...);
    return better(state, capacity, q) ? capacity : state;
  }
};

}  // namespace macareu
