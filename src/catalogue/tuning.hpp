// When `auto` selects a GPU, and when an image is too large for one. All numbers are estimates, not
// measurements.
#pragma once

#include <cstdint>

namespace macareu::tuning {

/// Below it the cpu finishes before an image is transferred to a GPU and back.
inline constexpr std::int64_t pixels_worth_a_gpu = std::int64_t{1} << 26;

/// All images of a call, at least two inputs and an output like the first one, and a quarter for temporary
/// memory of the engine.
constexpr std::int64_t memory_needed(std::int64_t first_bytes, std::int64_t all_bytes) {
  const auto images = 3 * first_bytes < all_bytes ? all_bytes : 3 * first_bytes;
  return images + images / 4;
}

/// What needs at most 1 / certain_share of a GPU's memory fits it, without a look at what is free.
inline constexpr std::int64_t certain_share = 4;

}  // namespace macareu::tuning
