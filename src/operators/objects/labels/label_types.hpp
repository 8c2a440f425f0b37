// Pixel types of label images.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include <macareu/error.hpp>

#include "core/call.hpp"

namespace macareu::operators {

inline constexpr std::array label_types{dtype::boolean, dtype::u8,  dtype::i8,  dtype::u16, dtype::i16,
                                        dtype::u32,     dtype::i32, dtype::u64, dtype::i64};

/// For inputs with a type of their own.
inline void check_labels(const call& call, std::size_t input) {
  const auto type = call.inputs[input].type();
  if (std::ranges::find(label_types, type) != label_types.end()) return;
  throw call_error(
      {.kind = fault::type,
       .operation = std::string(call.about.name),
       .parts = {input_named(call.about.inputs[input].name),
                 " has pixels of type " + std::string(name_of(type)) + ", but labels are whole numbers"},
       .given = std::string(name_of(type))});
}

inline void refuse_volumes(const call& call) {
  if (call.rank() == 3)
    throw call_error({.kind = fault::axes,
                      .operation = std::string(call.about.name),
                      .parts = {input_named(call.about.inputs[0].name), " is a volume: give an image"},
                      .given = "3 axes",
                      .allowed = "2 axes"});
}

}  // namespace macareu::operators
