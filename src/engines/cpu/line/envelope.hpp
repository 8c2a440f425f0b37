// The kernel of the line pattern: one line in memory of its own, best(i) = min over j of value(j) joined with
// cost(|i - j|).
#pragma once

#include <cstdint>
#include <type_traits>

#include "patterns/line.hpp"

namespace macareu::cpu {

/// Results are written in whole blocks of so many pixels.
inline constexpr std::int64_t envelope_block = 16;
/// Integers whose nearest place is further away than this are found by divide and conquer.
inline constexpr std::int64_t far_steps = 48;

template <class Value>
struct envelope {
  std::int64_t size;
  const Value* value;     // envelope_margin(size) values above the limit lie before and after
  const Value* cost;      // of -k and k alike, up to envelope_margin(size) steps beyond the line
  Value limit;            // values above it need not be right, only above it
  Value* best;            // whole blocks
  std::int64_t* nearest;  // scratch: a place for every block and one more
};

/// Floats have no divide and conquer (patterns/line.hpp), so they look as far as the line is long.
template <class Value>
constexpr std::int64_t envelope_margin(std::int64_t size) {
  return (std::is_floating_point_v<Value> ? size : far_steps) + 2 * envelope_block;
}

struct envelope_kernels {
  void (*solve_u32)(line_join, const envelope<std::uint32_t>&);
  void (*solve_u64)(line_join, const envelope<std::uint64_t>&);
  void (*solve_f64)(line_join, const envelope<double>&);
};

/// The best this processor can run.
const envelope_kernels& best_envelope_kernels();

inline void solve(line_join join, const envelope<std::uint32_t>& e) {
  best_envelope_kernels().solve_u32(join, e);
}
inline void solve(line_join join, const envelope<std::uint64_t>& e) {
  best_envelope_kernels().solve_u64(join, e);
}
inline void solve(line_join join, const envelope<double>& e) { best_envelope_kernels().solve_f64(join, e); }

}  // namespace macareu::cpu
