// The kernel of the line pattern, on one line in private memory: best(i) = min over j of value(j) joined with
// cost(|i - j|).
#pragma once

#include <cstdint>

#include "engines/cpu/tuning.hpp"
#include "patterns/line.hpp"

namespace macareu::cpu {

/// Results are written in whole blocks of this many pixels.
inline constexpr std::int64_t envelope_block = 16;
using tuning::far_steps;

/// The first and the last place with the least value of a pixel. They differ where rounding makes values
/// equal.
struct nearest_places {
  std::int64_t first, last;
};

template <class Value>
struct envelope {
  std::int64_t size;
  const Value* value;       // padded with envelope_margin(size, ordered) values above the limit on both sides
  const Value* cost;        // symmetric, up to envelope_margin(size, ordered) steps beyond the line
  bool ordered;             // the best places are monotone
  Value limit;              // values above it need not be exact, only above it
  Value* best;              // whole blocks
  nearest_places* nearest;  // scratch: one per block, and one more
};

/// Without divide and conquer the search may span the whole line.
constexpr std::int64_t envelope_margin(std::int64_t size, bool ordered) {
  return (ordered ? far_steps : size) + 2 * envelope_block;
}

struct envelope_kernels {
  void (*solve_u32)(line_join, const envelope<std::uint32_t>&);
  void (*solve_u64)(line_join, const envelope<std::uint64_t>&);
  void (*solve_f64)(line_join, const envelope<double>&);
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const envelope_kernels own_envelope_kernels;
const envelope_kernels& best_envelope_kernels();

inline void solve(line_join join, const envelope<std::uint32_t>& e) {
  best_envelope_kernels().solve_u32(join, e);
}
inline void solve(line_join join, const envelope<std::uint64_t>& e) {
  best_envelope_kernels().solve_u64(join, e);
}
inline void solve(line_join join, const envelope<double>& e) { best_envelope_kernels().solve_f64(join, e); }

}  // namespace macareu::cpu
