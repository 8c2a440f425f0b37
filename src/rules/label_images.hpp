// Label images that someone else made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "patterns/map.hpp"
#include "patterns/reduce.hpp"

namespace macareu {

/// Negative numbers are outside, like 0.
template <class Label>
struct label_as {
  template <class T>
  MACAREU_HD Label operator()(site, T label) const {
    return label > T{} ? static_cast<Label>(label) : 0;
  }
};

struct greatest_number {
  using value = std::uint64_t;
  MACAREU_HD value identity() const { return 0; }
  template <class T>
  MACAREU_HD value lift(site, T label) const {
    return label > T{} ? static_cast<value>(label) : 0;
  }
  MACAREU_HD value join(value a, value b) const { return a > b ? a : b; }
};

/// Throws usage_error where the first input has no labels that rows of a table could be kept for.
template <class T, class Engine>
std::uint64_t greatest_label(Engine& engine, const call& call) {
  const auto who = std::string(call.about.name) + ": ";
  if constexpr (std::is_floating_point_v<T>) {
    throw usage_error(who + "labels are whole numbers, not " + std::string(name_of(call.inputs[0].type())));
  } else {
    const auto labels = call.input<T>(0);
    const auto greatest = engine.reduce(greatest_number{}, labels);
    const auto most = std::min<std::uint64_t>(
        std::uint64_t{1} << 32, 4 * static_cast<std::uint64_t>(labels.pixels()) + (std::uint64_t{1} << 20));
    if (greatest >= most)
      throw usage_error(who + "a label of " + std::to_string(greatest) + " is too large for an image of " +
                        std::to_string(labels.pixels()) + " pixels; number its objects 1..n first");
    return greatest;
  }
}

}  // namespace macareu
