// Binary waves on the cpu. Connected pixels of capacity 1 are all set or all unset, so no propagation is
// needed. Runs of bits are united as for labels, and a tree that contains a start is kept. The time does not
// depend on path length.
#pragma once

#include <memory>

#include "engines/cpu/component/run_component.hpp"
#include "engines/cpu/tuning.hpp"
#include "engines/cpu/wave/wave_kernels.hpp"
#include "patterns/wave.hpp"

namespace macareu::cpu {

/// Two bits per pixel: the capacity, and the start.
class binary_planes {
 public:
  binary_planes(const neighbourhood& near, std::int64_t depth, std::int64_t height, std::int64_t width)
      : near_(near),
        capacities_(shape_of(near, depth, height, width)),
        starts_(room_for<bit_word>(depth * height * capacities_.shape.words())) {}

  bit_word* capacities(std::int64_t z, std::int64_t y) const { return capacities_.row(z, y); }
  bit_word* starts(std::int64_t z, std::int64_t y) const {
    return starts_.get() + (capacities(z, y) - capacities_.bits.get());
  }

  /// Writes the final states, 0 and 1. Returns false if there are too many runs. Call that of the chosen
  /// instruction set: flood_by_best_kernel().
  bool flood(const job& work, int threads, const view<std::uint8_t>& states);

 private:
  /// Rows are gathered to lines with full connectivity (lines.hpp).
  static line_shape shape_of(const neighbourhood& near, std::int64_t depth, std::int64_t height,
                             std::int64_t width) {
    const bool all = near.reach == near.rank;
    return {depth, height, width, all && near.rank == 3 && depth > 1 ? 2 : 1, all ? 2 : 1};
  }

  neighbourhood near_;
  bit_lines capacities_;
  std::unique_ptr<bit_word[]> starts_;
};

/// Returns false if there are too many runs; the caller then falls back to tiles.
template <class Rule, class Start, class... In>
bool binary_wave(job& work, const Rule& rule, const neighbourhood& near, const view<std::uint8_t>& states,
                 const Start& start, const view<const In>&... in) {
  const int threads = threads_for(states.pixels(), work.how.threads);
  binary_planes planes(near, states.depth, states.height, states.width);
  const auto batch = std::max<std::int64_t>(1, tuning::pixels_claimed / states.width);
  over_units(work, threads, states.depth * states.height, batch, [&](int, std::int64_t row) {
    const auto z = row / states.height, y = row % states.height;
    std::uint8_t bytes[word_bits];
    for (std::int64_t x = 0; x < states.width; x += word_bits) {
      const auto count = std::min(word_bits, states.width - x);
      if (count < word_bits) std::fill_n(bytes, word_bits, std::uint8_t{0});
      const auto each = [&](std::int64_t i, const In&... value) {
        bytes[i] = rule.capacity(site{z, y, x + i}, value...);
      };
      over_row({z, y, x}, count, each, in...);
      const bit_word capacity = pack(bytes);
      planes.capacities(z, y)[x / word_bits] = capacity;
      bit_word starts = 0;
      if (capacity != 0) {
        start.over_row({z, y, x}, count, [&](std::int64_t i, std::uint8_t value) { bytes[i] = value; });
        starts = pack(bytes) & capacity;
      }
      planes.starts(z, y)[x / word_bits] = starts;
    }
  });
  work.report.threads = threads;
  work.report.strategy = "runs";
  return flood_by_best_kernel(planes, work, threads, states);
}

}  // namespace macareu::cpu
