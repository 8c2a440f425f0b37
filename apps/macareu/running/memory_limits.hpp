// The limits that images in memory may exceed.
#pragma once

#include <cstdint>
#include <limits>

#include <macareu/context.hpp>

namespace macareu::tool {

/// Of the GPU that a command names; the largest number without one. The library cuts images for several
/// GPUs, and `auto` avoids one that is too small.
inline std::int64_t gpu_limit_of(const context& how) {
  const bool is_one =
      how.device == "cuda" || (how.device.starts_with("cuda:") && how.device.find(',') == std::string::npos);
  return is_one && how.gpu_memory > 0 ? how.gpu_memory : std::numeric_limits<std::int64_t>::max();
}

struct memory_limit {
  std::int64_t bytes;
  const char* place;  ///< for messages
};

/// The limit to keep, of the host or the GPU: images are in the memory of both.
inline memory_limit least_limit(std::int64_t host, std::int64_t gpu) {
  return gpu < host ? memory_limit{gpu, "on the GPU"} : memory_limit{host, "in memory"};
}

}  // namespace macareu::tool
