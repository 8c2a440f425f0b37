#pragma once

#include <concepts>

namespace macareu {

/// a / b, rounded up. It has the type of a + b: a GPU divides 32 bits faster than 64.
template <std::integral A, std::integral B>
constexpr auto ceil_div(A a, B b) {
  return (a + b - 1) / b;
}

}  // namespace macareu
