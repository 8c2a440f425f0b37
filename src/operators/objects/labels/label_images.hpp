// Label images from any source.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "patterns/images.hpp"
#include "patterns/known_labels.hpp"
#include "patterns/map.hpp"
#include "patterns/reduce.hpp"

namespace macareu {

/// Negative numbers count as outside, like 0.
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

/// Throws usage_error if the first input is not a label image.
template <class T, class Engine>
std::uint64_t greatest_label(Engine& engine, const call& call) {
  if constexpr (std::is_floating_point_v<T>)
    throw call_error({.kind = fault::type,
                      .operation = std::string(call.about.name),
                      .parts = {input_named("labels"),
                                " are whole numbers, not " + std::string(name_of(call.inputs[0].type()))},
                      .given = std::string(name_of(call.inputs[0].type()))});
  else {
    const auto labels = input<T>(engine, call, 0);
    if constexpr (knows_labels<Engine, T>)
      if (const auto greatest = engine.known_labels(labels)) return *greatest;
    return engine.reduce(greatest_number{}, labels);
  }
}

/// Limit of rows for the labels of an image, most of which may be unused.
inline std::uint64_t most_rows(std::int64_t pixels) {
  return std::min<std::uint64_t>(std::uint64_t{1} << 32,
                                 4 * static_cast<std::uint64_t>(pixels) + (std::uint64_t{1} << 20));
}

inline call_error too_large(const call& call, std::uint64_t label, const std::string& advice) {
  return call_error({.kind = fault::pixels,
                     .operation = std::string(call.about.name),
                     .parts = {"a label of " + std::to_string(label) + " is too large for an image of " +
                               std::to_string(call.inputs[0].shape().pixels()) + " pixels" + advice},
                     .given = std::to_string(label)});
}

}  // namespace macareu
