// Inputs beside the first one that have its type, or f32 where the first has integers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/call.hpp"
#include "patterns/images.hpp"

namespace macareu {

/// Refuses another type of an input than those named.
inline void check_own_type(const call& call, std::size_t index, dtype own) {
  const auto type = call.inputs[index].type(), first = call.inputs[0].type();
  if (type != own && type != first)
    throw call_error({.kind = fault::type,
                      .operation = std::string(call.about.name),
                      .parts = {input_named(call.about.inputs[index].name),
                                ": expected pixels of type " + std::string(name_of(own)) + ", got " +
                                    std::string(name_of(type))},
                      .given = std::string(name_of(type))});
}

/// visit(image) with an input of type Own, or of the first input's type.
template <class T, class Own, class Engine, class Visit>
void with_own_type(Engine& engine, const call& call, std::size_t index, const Visit& visit) {
  if constexpr (!std::is_same_v<T, Own>)
    if (call.inputs[index].type() == dtype_of<Own>) return visit(input<Own>(engine, call, index));
  visit(input<T>(engine, call, index));
}

}  // namespace macareu
