// What front ends tell of the engine without loading it.
#pragma once

#include <string_view>
#include <vector>

namespace macareu::cuda {

inline constexpr bool in_pieces = true;  // engines/pieces can run on it

inline std::vector<std::string_view> strategies(std::string_view pattern) {
  if (pattern == "wave") return {"tiles", "contraction", "sweep", "queue", "megapixel", "diagonal"};
  if (pattern == "general_wave") return {"sweep", "queue", "megapixel", "diagonal"};
  return {};
}

}  // namespace macareu::cuda
