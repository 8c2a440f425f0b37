// When `auto` selects a GPU, and when an image is too large for one. All numbers are estimates, not
// measurements.
#pragma once

#include <cstdint>

namespace macareu::tuning {

/// Below it the cpu finishes before an image is transferred to a GPU and back.
inline constexpr std::int64_t pixels_worth_a_gpu = std::int64_t{1} << 26;

/// Two inputs and an output, and a quarter for temporary memory of the engine.
constexpr std::int64_t memory_needed(std::int64_t image_bytes) {
  return 3 * image_bytes + 3 * image_bytes / 4;
}

/// What needs at most 1 / certain_share of a GPU's memory fits it, without a look at what is free.
inline constexpr std::int64_t certain_share = 4;

}  // namespace macareu::tuning
