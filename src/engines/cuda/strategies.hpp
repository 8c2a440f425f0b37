// Names of the engine's strategies, which help texts list without loading the engine.
#pragma once

#include <string_view>
#include <vector>

namespace macareu::cuda {

inline std::vector<std::string_view> strategies(std::string_view pattern) {
  if (pattern == "wave") return {"tiles", "contraction", "sweep", "queue", "megapixel", "diagonal"};
  if (pattern == "general_wave") return {"sweep", "queue", "megapixel", "diagonal"};
  return {};
}

}  // namespace macareu::cuda
