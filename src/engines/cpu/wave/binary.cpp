#include "engines/cpu/wave/binary.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

#include "engines/cpu/component/united_runs.hpp"

namespace macareu::cpu {
namespace {

using index = united_runs::index;

/// For find_runs: the bits are packed already.
struct packed_rows {
  void pack_inside(std::int64_t, std::int64_t, bit_word*) const {}
};

void write_bits(const view<std::uint8_t>& states, std::int64_t z, std::int64_t y, std::int64_t x,
                bit_word bits) {
  const auto count = std::min(word_bits, states.width - x);
  std::uint8_t* const to = states.at(z, y) + x * states.step_x;
  if (states.step_x == 1) {
    if (bits == 0)
      std::memset(to, 0, static_cast<std::size_t>(count));
    else if (count == word_bits)
      unpack(bits, to);
    else {
      std::uint8_t bytes[word_bits];
      unpack(bits, bytes);
      std::memcpy(to, bytes, static_cast<std::size_t>(count));
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i * states.step_x] = static_cast<std::uint8_t>(bits >> i & 1);
}

class kept_runs {
 public:
  kept_runs(const job& work, int threads, const neighbourhood& near, const bit_lines& lines)
      : lines_(lines),
        shape_(lines.shape),
        runs_(work, threads, near, lines, one_class_),
        kept_(static_cast<std::size_t>(runs_.runs())) {}

  template <class Starts>
  void mark(const Starts& starts) {
    runs_.over_bands([&](std::int64_t band) {
      for (auto line = runs_.begin_of(band); line < runs_.begin_of(band + 1); ++line)
        for (std::int64_t i = 0; i < shape_.words(); ++i) {
          bit_word open = 0;
          over_rows_of(line, [&](std::int64_t z, std::int64_t y) { open |= starts(z, y)[i]; });
          while (open != 0) {
            const int bit = std::countr_zero(open);
            // Atomic: a tree may span bands, which run on different threads.
            std::atomic_ref(kept_[runs_.root(runs_.run_at(line, i, bit))])
                .store(1, std::memory_order_relaxed);
            const bit_word later = bit == 63 ? 0 : lines_.heads_of(line)[i] >> bit >> 1;
            if (later == 0) break;  // the rest of the word is the same run
            open &= ~bit_word{0} << (bit + 1 + std::countr_zero(later));
          }
        }
    });
  }

  void write(const view<std::uint8_t>& states) const {
    runs_.over_bands([&](std::int64_t band) {
      for (auto line = runs_.begin_of(band); line < runs_.begin_of(band + 1); ++line) {
        auto run = runs_.first_run(line);
        bit_word keep = 0;  // all ones if the run that enters the word is kept
        for (std::int64_t i = 0; i < shape_.words(); ++i) {
          bit_word within = keep;
          for (bit_word heads = lines_.heads_of(line)[i]; heads != 0; heads &= heads - 1) {
            keep = kept_[runs_.root(run++)] ? ~bit_word{0} : 0;
            const bit_word from_here = ~bit_word{0} << std::countr_zero(heads);
            within = (within & ~from_here) | (keep & from_here);
          }
          over_rows_of(line, [&](std::int64_t z, std::int64_t y) {
            write_bits(states, z, y, i * word_bits, lines_.row(z, y)[i] & within);
          });
        }
      }
    });
  }

 private:
  template <class Visit>
  void over_rows_of(std::int64_t line, Visit&& visit) const {
    const auto z = line / shape_.lines_y() * shape_.gather_z, y = line % shape_.lines_y() * shape_.gather_y;
    for (auto slice = z; slice < std::min(z + shape_.gather_z, shape_.depth); ++slice)
      for (auto row = y; row < std::min(y + shape_.gather_y, shape_.height); ++row) visit(slice, row);
  }

  const bit_lines& lines_;
  const line_shape& shape_;
  match_classes one_class_;
  united_runs runs_;
  std::vector<std::uint8_t> kept_;  // per root
};

}  // namespace

bool binary_planes::flood(const job& work, int threads, const view<std::uint8_t>& states) {
  const auto batch = std::max<std::int64_t>(1, tuning::run_words_claimed / capacities_.shape.words());
  over_units(work, threads, capacities_.shape.lines(), batch,
             [&](int, std::int64_t line) { find_runs<packed_rows, true>(packed_rows{}, capacities_, line); });
  if (!united_runs::can_number(united_runs::sum_up(capacities_))) return false;
  kept_runs runs(work, threads, near_, capacities_);
  runs.mark([&](std::int64_t z, std::int64_t y) { return starts(z, y); });
  runs.write(states);
  return true;
}

}  // namespace macareu::cpu
