// Masks are bytes of 0 and 1.
#pragma once

#include <cstdint>

#include "patterns/map.hpp"

namespace macareu {

struct nowhere {
  MACAREU_HD std::uint8_t operator()(site) const { return 0; }
};

template <class T>
struct at_least {
  T first;
  MACAREU_HD std::uint8_t operator()(site, T value) const { return value >= first; }
};

}  // namespace macareu
