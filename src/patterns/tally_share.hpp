// The part of a table of objects that one process describes (patterns/tally.hpp).
#pragma once

#include <concepts>
#include <cstdint>

namespace macareu {

/// Rows of objects before + 1 .. before + count: row i is that of object before + i.
template <class Rows>
struct tallied {
  Rows rows;
  std::uint64_t before, count;
};
/// Which clang finds itself from 17 on.
template <class Rows>
tallied(Rows, std::uint64_t, std::uint64_t) -> tallied<Rows>;

/// An optional ability of engines: each of several processes gets the rows of its share of the objects.
template <class Engine, class Rule, class Labels, class... In>
concept shares_tally = requires(Engine& engine, const Rule& rule, const Labels& labels, const In&... in) {
  { engine.tally_share(rule, std::uint64_t{1}, labels, in...).before } -> std::convertible_to<std::uint64_t>;
};

/// The rows that this process describes: all of them, unless an engine shares them with other processes.
template <class Engine, class Rule, class Labels, class... In>
auto tally_to_describe(Engine& engine, const Rule& rule, std::uint64_t count, const Labels& labels,
                       const In&... in) {
  if constexpr (shares_tally<Engine, Rule, Labels, In...>)
    return engine.tally_share(rule, count, labels, in...);
  else
    return tallied{engine.tally(rule, count, labels, in...), 0, count};
}

}  // namespace macareu
