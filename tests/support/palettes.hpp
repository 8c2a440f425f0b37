// The grey values that random images are made of.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include <macareu/image.hpp>

#include "core/key.hpp"
#include "support/dice.hpp"
#include "support/types.hpp"

namespace macareu::test {

/// Values where arithmetic and order go wrong first: ends of the type, around zero, signed zeros, infinities,
/// denormals, integers that a double cannot hold.
template <class T>
const std::vector<T>& special_values() {
  using limits = std::numeric_limits<T>;
  static const auto values = [] {
    std::vector<T> all;
    const auto add = [&](std::initializer_list<T> some) {
      for (const T value : some) all.push_back(value);
    };
    add({T{0}, T{1}, limits::lowest(), limits::max()});
    if constexpr (limits::is_integer) {
      add({static_cast<T>(limits::min() + 1), static_cast<T>(limits::max() - 1),
           static_cast<T>(limits::max() / 2), static_cast<T>(limits::max() / 2 + 1)});
      if constexpr (limits::is_signed) add({T{-1}, T{-2}});
      if constexpr (sizeof(T) == 8) add({(T{1} << 53) - 1, T{1} << 53, (T{1} << 53) + 1, (T{1} << 53) + 2});
    } else {
      for (const T value : {limits::infinity(), limits::denorm_min(), limits::min(), limits::epsilon(), T{0},
                            std::nextafter(limits::max(), T{0}), std::nextafter(T{1}, T{2})})
        add({value, -value});
    }
    return all;
  }();
  return values;
}

/// Any value of the type but NaN, all bit patterns alike.
template <class T>
T any_value(dice& from) {
  while (true) {
    const auto value = std::bit_cast<T>(static_cast<key_of<T>>(from.next() >> (64 - 8 * sizeof(T))));
    if (value == value) return value;
  }
}

/// Steps of one (floats: of a quarter, or of the smallest denormal) from somewhere: heights that matter.
template <class T>
T ladder_value(dice& from, T start, bool tiny) {
  const auto step = from.below(9);
  if constexpr (std::is_floating_point_v<T>)
    return tiny ? static_cast<T>(step) * std::numeric_limits<T>::denorm_min()
                : start + static_cast<T>(step) / 4;
  else
    return static_cast<T>(start + static_cast<T>(step));
}

/// In ascending order. Keys of all types are sorted by one function, since ten take long to compile.
template <class T>
void sort_values(std::vector<T>& values) {
  std::vector<std::uint64_t> keys;
  for (const T value : values) keys.push_back(to_key(value));
  std::ranges::sort(keys);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = from_key<T>(static_cast<key_of<T>>(keys[i]));
}

/// Fills `values` in ascending order; equal ones may repeat. bool has 0 and 1 only.
template <class T>
void draw_palette(dice& from, dtype type, std::vector<T>& values) {
  if (type == dtype::boolean) {
    const auto ones = from.between(1, std::ssize(values));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::ssize(values) - static_cast<int>(i) <= ones;
    return;
  }
  const auto kind = from.below(4);
  const auto start =
      std::is_floating_point_v<T>
          ? static_cast<T>(from.between(-4, 4))
          : static_cast<T>(std::min(any_value<T>(from), static_cast<T>(std::numeric_limits<T>::max() - 8)));
  const bool tiny = from.once_in(4);
  for (auto& value : values) {
    if (kind == 0 || (kind == 1 && from.once_in(2)))
      value = any_value<T>(from);
    else if (kind == 1 || kind == 2)
      value = from.pick(special_values<T>());
    else
      value = ladder_value<T>(from, start, tiny);
  }
  sort_values(values);
}

}  // namespace macareu::test
