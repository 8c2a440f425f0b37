// The first pixel, in raster order, for which a predicate of its values holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/frame.hpp"
#include "patterns/reduce.hpp"

namespace macareu {

/// Whether any pixel satisfies the predicate. One byte per pixel, so that engines can vectorise it.
template <class Predicate>
struct any_pixel {
  using value = std::uint8_t;
  static constexpr bool is_question = true;  // what an operator does next may depend on the answer
  Predicate holds;
  MACAREU_HD value identity() const { return 0; }
  template <class... In>
  MACAREU_HD value lift(site, const In&... in) const {
    return static_cast<value>(holds(in...));
  }
  MACAREU_HD value join(value a, value b) const { return a | b; }
};

template <class Predicate>
struct first_pixel {
  using value = std::int64_t;
  static constexpr value none = std::numeric_limits<value>::max();
  Predicate holds;
  frame whole;
  MACAREU_HD value identity() const { return none; }
  template <class... In>
  MACAREU_HD value lift(site p, const In&... in) const {
    return holds(in...) ? whole.index_of(p) : none;
  }
  MACAREU_HD value join(value a, value b) const { return a < b ? a : b; }
};

/// Two passes, the second only if a pixel was found. The common case reads the images once, at full speed.
template <class Engine, class Predicate, class First, class... More>
std::optional<site> find_first(Engine& engine, Predicate holds, const First& first, const More&... in) {
  if (!engine.reduce(any_pixel<Predicate>{holds}, first, in...)) return std::nullopt;
  return first.whole().site_at(engine.reduce(first_pixel<Predicate>{holds, first.whole()}, first, in...));
}

}  // namespace macareu
