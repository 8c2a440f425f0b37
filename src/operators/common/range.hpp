// The smallest and the largest value of an image, as keys.
#pragma once

#include <limits>

#include "core/key.hpp"
#include "patterns/reduce.hpp"

namespace macareu {

template <class T>
struct key_range {
  struct value {
    key_of<T> lowest, highest;
    bool operator==(const value&) const = default;
  };
  MACAREU_HD value identity() const { return {std::numeric_limits<key_of<T>>::max(), 0}; }
  MACAREU_HD value lift(site, T pixel) const {
    const auto key = to_key(without_negative_zero(pixel));
    return {key, key};
  }
  MACAREU_HD value join(value a, value b) const {
    return {a.lowest < b.lowest ? a.lowest : b.lowest, a.highest > b.highest ? a.highest : b.highest};
  }
};

}  // namespace macareu
