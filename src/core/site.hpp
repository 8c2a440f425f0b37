// A place in the whole image, also where an engine works on a part of it.
#pragma once

#include <cstdint>

namespace macareu {

struct site {
  std::int64_t z, y, x;
  bool operator==(const site&) const = default;
};

}  // namespace macareu
