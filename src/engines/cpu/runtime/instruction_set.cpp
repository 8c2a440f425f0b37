#include "engines/cpu/runtime/instruction_set.hpp"

#include <cstdlib>
#include <string>

#include <macareu/error.hpp>

#include "engines/cpu/line/envelope.hpp"
#include "engines/cpu/line/squares.hpp"
#include "engines/cpu/wave/wave_kernels.hpp"
#include "engines/cpu/window/extremes.hpp"
#include "engines/cpu/window/run_summits.hpp"
#include "engines/cpu/window/sums.hpp"

namespace macareu::cpu {
namespace {

/// What cmake/instruction_sets.cmake compiles a set with. Every processor with BMI2 has LZCNT, for which some
/// compilers have no name here.
bool runs_here([[maybe_unused]] std::string_view set) {
#ifdef __x86_64__
  if (set == "sse2") return true;
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("popcnt");
  if (set == "avx2") return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return true;
#endif
}

const instruction_set& choose() {
  const char* const given = std::getenv("MACAREU_INSTRUCTION_SET");
  const std::string_view wanted = given ? given : "";
  const instruction_set* best = nullptr;
  std::string usable;
  for (const auto* set : built_instruction_sets()) {
    if (!runs_here(set->value)) continue;
    if (set->value == wanted) return *set;
    best = set;
    usable += (usable.empty() ? "" : ", ") + std::string(set->value);
  }
  if (!best)
    throw device_error(
        "this build has no code for this processor; build Macareu with -DMACAREU_BASELINE=ON, as `make` does");
  if (wanted.empty()) return *best;
  throw usage_error("MACAREU_INSTRUCTION_SET: expected one of " + usable + ", got '" + std::string(wanted) +
                    "'");
}

}  // namespace

const instruction_set& chosen_instruction_set() {
  static const instruction_set& chosen = choose();
  return chosen;
}

const all_sum_kernels& best_sum_kernels() { return *chosen_instruction_set().sums; }
const envelope_kernels& best_envelope_kernels() { return *chosen_instruction_set().envelopes; }
const square_kernels& best_square_kernels() { return *chosen_instruction_set().squares; }
const all_extreme_kernels& best_extreme_kernels() { return *chosen_instruction_set().extremes; }
const summit_kernels& best_summit_kernels() { return *chosen_instruction_set().summits; }

namespace {

const wide_wave_kernels& wide_waves() {
  const auto* const found = chosen_instruction_set().wide_waves;
  if (!found) throw internal_error("this build has no waves of 32 and 64-bit keys");
  return *found;
}

}  // namespace

template <>
const wave_kernels<std::uint8_t>& best_wave_kernels() {
  return chosen_instruction_set().narrow_waves->on_8;
}
template <>
const wave_kernels<std::uint16_t>& best_wave_kernels() {
  return chosen_instruction_set().narrow_waves->on_16;
}
template <>
const wave_kernels<std::uint32_t>& best_wave_kernels() {
  return wide_waves().on_32;
}
template <>
const wave_kernels<std::uint64_t>& best_wave_kernels() {
  return wide_waves().on_64;
}
bool flood_by_best_kernel(binary_planes& planes, const job& work, int threads,
                          const view<std::uint8_t>& states) {
  return chosen_instruction_set().narrow_waves->flood(planes, work, threads, states);
}

}  // namespace macareu::cpu
