// Pixel checks before any work: NaN, and a marker beyond its mask. Messages name the first bad pixel.
#pragma once

#include <charconv>
#include <string>
#include <type_traits>

#include <macareu/error.hpp>

#include "core/call.hpp"
#include "operators/common/find.hpp"
#include "patterns/deferred_checks.hpp"
#include "patterns/images.hpp"
#include "patterns/wave.hpp"

namespace macareu {

std::string place(int rank, site p);
inline std::string place(const call& call, site p) { return place(call.rank(), p); }

/// Throw the errors of a pixel. Not templates: texts would be compiled for every type and engine.
[[noreturn]] void refuse_nan_at(const operator_description& about, int rank, std::size_t which, site p);
[[noreturn]] void refuse_marker_at(const call& call, direction toward, const std::string& marker,
                                   const std::string& mask, site p);

template <class T>
std::string value_text(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
  } else {
    return std::to_string(value);
  }
}

struct is_nan {
  template <class T>
  MACAREU_HD bool operator()(T value) const {
    return value != value;
  }
};

/// By a pass over the input.
template <class T, class Engine>
void refuse_nan_now(Engine& engine, const call& call, std::size_t which) {
  if constexpr (std::is_floating_point_v<T>) {
    if (const auto p = find_first(engine, is_nan{}, input<T>(engine, call, which)))
      refuse_nan_at(call.about, call.rank(), which, *p);
  }
}

/// At once, or, where results are not visible before the end, when the input is read.
template <class T, class Engine>
void refuse_nan(Engine& engine, const call& call, std::size_t which) {
  if constexpr (checks_while_reading<Engine>) {
    if constexpr (std::is_floating_point_v<T>)
      engine.refuse_nan_while_reading(call, which, [&about = call.about, rank = call.rank(), which](site p) {
        refuse_nan_at(about, rank, which, p);
      });
  } else {
    refuse_nan_now<T>(engine, call, which);
  }
}

/// Also true for NaN, which is neither above nor below.
template <direction Toward>
struct beyond {
  template <class T>
  MACAREU_HD bool operator()(T marker, T mask) const {
    return Toward == direction::up ? !(marker <= mask) : !(marker >= mask);
  }
};

template <direction Toward, class T, class Engine>
void refuse_marker_beyond_mask(Engine& engine, const call& call, std::size_t marker, std::size_t mask) {
  const auto p =
      find_first(engine, beyond<Toward>{}, input<T>(engine, call, marker), input<T>(engine, call, mask));
  if (!p) return;
  refuse_nan_now<T>(engine, call, marker);
  refuse_nan_now<T>(engine, call, mask);
  const T given = engine.read(input<T>(engine, call, marker), *p),
          bound = engine.read(input<T>(engine, call, mask), *p);
  refuse_marker_at(call, Toward, value_text(given), value_text(bound), *p);
}

}  // namespace macareu
