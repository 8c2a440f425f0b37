// The instruction sets that the hot code of the cpu engine is compiled for, and the choice between them.
#pragma once

#include <span>
#include <string_view>

namespace macareu {
struct entry;
}

namespace macareu::cpu {

struct all_extreme_kernels;
struct all_sum_kernels;
struct envelope_kernels;
struct narrow_wave_kernels;
struct square_kernels;
struct summit_kernels;
struct wide_wave_kernels;

/// All that common code sees of an instruction set: other symbols of its object are local.
/// Constant data, because no code of a set may run before it is chosen.
struct instruction_set {
  std::string_view name;   ///< as its makers spell it
  std::string_view value;  ///< of MACAREU_INSTRUCTION_SET
  const all_sum_kernels* sums;
  const envelope_kernels* envelopes;
  const square_kernels* squares;
  const narrow_wave_kernels* narrow_waves;
  const wide_wave_kernels* wide_waves;  ///< null in a build for slides
  const all_extreme_kernels* extremes;
  const summit_kernels* summits;
  std::span<entry (*const)()> operators;  ///< that replace those of the baseline
};

/// Generated: the baseline first, the best last.
std::span<const instruction_set* const> built_instruction_sets();

/// The best that this processor runs, or the one that MACAREU_INSTRUCTION_SET names. Throws usage_error where
/// it names none of them.
const instruction_set& chosen_instruction_set();

}  // namespace macareu::cpu
