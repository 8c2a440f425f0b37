// Compiled once per instruction set (engines/cpu/runtime/simd.hpp).
#include "engines/cpu/line/squares.hpp"

#include <limits>

#include "core/ceil_div.hpp"
#include "engines/cpu/line/search_outwards.hpp"
#include "engines/cpu/runtime/simd.hpp"
#include "engines/cpu/tuning.hpp"

namespace macareu::cpu {
namespace {

struct square_costs {
  std::uint16_t of[far_steps + 2 * steps_between_tests];
};

constexpr square_costs costs_of_squares() {
  square_costs costs{};
  for (std::int64_t k = 0; k < far_steps + 2 * steps_between_tests; ++k)
    costs.of[k] = static_cast<std::uint16_t>(k * k);
  return costs;
}

void solve_narrow_line(const narrow_line& line) {
  static constexpr auto costs = costs_of_squares();
  const envelope<std::uint16_t> e{line.size, line.square, costs.of, true, line.limit, line.best, nullptr};
  for (std::int64_t x = 0; x < line.size; x += narrow_block)
    line.left[x / narrow_block] =
        !search_outwards<std::uint16_t, line_join::sum, narrow_block>(e, min(x, line.size - narrow_block));
}

[[gnu::always_inline]] inline vec<std::uint32_t> lane_numbers() {
  vec<std::uint32_t> numbers = {};
  for (int lane = 0; lane < simd<std::uint32_t>::lanes; ++lane)
    numbers[lane] = static_cast<std::uint32_t>(lane);
  return numbers;
}

/// Unsigned differences wrap around; their squares are correct.
[[gnu::always_inline]] inline vec<std::uint32_t> offer_of(vec<std::uint32_t> square,
                                                          vec<std::uint32_t> steps) {
  return square + steps * steps;
}

/// Which of first .. last gives pixel x the least value. Places beyond `last` are read too, and clipped to
/// it.
std::int64_t nearest_of(const square_places& all, std::int64_t x, std::int64_t first, std::int64_t last) {
  constexpr int lanes = simd<std::uint32_t>::lanes;
  const vec<std::uint32_t> here = all_lanes(static_cast<std::uint32_t>(x));
  vec<std::uint32_t> best = all_lanes(std::numeric_limits<std::uint32_t>::max()),
                     chosen = all_lanes(static_cast<std::uint32_t>(first)),
                     index = lane_numbers() + static_cast<std::uint32_t>(first);
  for (std::int64_t i = first; i <= last; i += lanes, index += std::uint32_t{lanes}) {
    const vec<std::uint32_t> offer = offer_of(load(all.square + i), here - load(all.place + i));
    chosen = offer < best ? index : chosen;
    best = min(best, offer);
  }
  int least = 0;
  for (int lane = 1; lane < lanes; ++lane)
    if (best[lane] < best[least]) least = lane;
  return min(static_cast<std::int64_t>(chosen[least]), last);
}

void look_at(const square_places& all, std::int64_t first, std::int64_t last, std::int64_t x,
             std::uint32_t* to) {
  constexpr int lanes = simd<std::uint32_t>::lanes, parts = envelope_block / lanes;
  vec<std::uint32_t> best[parts], here[parts];
  vec<std::uint32_t> next = lane_numbers() + static_cast<std::uint32_t>(x);
  for (int i = 0; i < parts; ++i, next += std::uint32_t{lanes}) {
    best[i] = load(to + i * lanes);
    here[i] = next;
  }
  for (std::int64_t j = first; j <= last; ++j) {
    const vec<std::uint32_t> place = all_lanes(all.place[j]), square = all_lanes(all.square[j]);
    for (int i = 0; i < parts; ++i) best[i] = min(best[i], offer_of(square, here[i] - place));
  }
  for (int i = 0; i < parts; ++i) store(to + i * lanes, best[i]);
}

/// The nearest place of a pixel lies between those of the pixels left and right of it. Each level of halving
/// therefore visits each place about once, and a block searches only between the places of its ends.
void conquer_blocks(const square_places& all, std::int64_t begin, std::int64_t end, std::uint32_t* best,
                    std::int64_t* at) {
  if (all.count == 0) return;
  const std::int64_t blocks = ceil_div(end - begin, envelope_block);
  const auto find = [&](std::int64_t b, std::int64_t first, std::int64_t last) {
    at[b] = nearest_of(all, min(begin + b * envelope_block, end - 1), first, last);
  };
  find(0, 0, all.count - 1);
  find(blocks, at[0], all.count - 1);
  std::int64_t half = 1;
  while (half < blocks) half *= 2;
  while (half /= 2)
    for (std::int64_t b = half; b < blocks; b += 2 * half) find(b, at[b - half], at[min(b + half, blocks)]);
  for (std::int64_t b = 0; b < blocks; ++b)
    look_at(all, at[b], at[b + 1], begin + b * envelope_block, best + begin + b * envelope_block);
}

/// Up to here f32 holds integers exactly, and a root in f32 equals one in f64 rounded to f32. f64 has more
/// than twice the bits of f32, so double rounding is harmless.
constexpr std::uint32_t largest_exact_f32 = 1U << 24;

template <class Value>
void roots_of_line(const Value* of, std::int64_t size, std::uint32_t limit, float beyond, float* to) {
  constexpr std::int64_t run = tuning::roots_tested_together;
  for (std::int64_t x = 0; x < size; x += run) {
    const std::int64_t end = min(x + run, size);
    Value greatest = 0;
    for (std::int64_t i = x; i < end; ++i) greatest = max(greatest, of[i]);
    if (greatest <= 1)
      for (std::int64_t i = x; i < end; ++i) to[i] = static_cast<float>(static_cast<std::int32_t>(of[i]));
    else if (greatest <= largest_exact_f32)
      for (std::int64_t i = x; i < end; ++i)
        to[i] = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(of[i])));
    else
      for (std::int64_t i = x; i < end; ++i)
        to[i] = static_cast<float>(__builtin_sqrt(static_cast<double>(of[i])));
    if (greatest > limit)
      for (std::int64_t i = x; i < end; ++i) to[i] = of[i] > limit ? beyond : to[i];
  }
}

}  // namespace

const square_kernels own_square_kernels{&solve_narrow_line, &conquer_blocks, &roots_of_line<std::uint32_t>,
                                        &roots_of_line<std::uint16_t>};

}  // namespace macareu::cpu
