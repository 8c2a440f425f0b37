// tally: what the pixels of every object add up to: a row of counts, sums and bounds for each of 1..n.
//
// rule.add(row, p, labels, in...) adds pixel p to the row of its object. It may read labels beside p.
//
// Laws. What a pixel adds depends on its own values and the labels beside it alone, never on the row. Counts
// and sums are integers that wrap around, bounds are least and greatest: rows are joined in any order with
// the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

__extension__ typedef unsigned __int128 wide_sum;  // of signed values too: as two's complement
__extension__ typedef __int128 signed_wide_sum;

template <std::size_t Counts, std::size_t Sums, std::size_t Bounds>
struct tally_row {
  std::array<std::uint64_t, Counts> count{};
  std::array<wide_sum, Sums> sum{};
  std::array<std::int64_t, Bounds> least, most;

  MACAREU_HD tally_row() {
    for (auto& bound : least) bound = std::numeric_limits<std::int64_t>::max();
    for (auto& bound : most) bound = std::numeric_limits<std::int64_t>::min();
  }

  MACAREU_HD void stretch(std::size_t bound, std::int64_t value) {
    if (value < least[bound]) least[bound] = value;
    if (value > most[bound]) most[bound] = value;
  }
  MACAREU_HD void join(const tally_row& other) {
    for (std::size_t i = 0; i < Counts; ++i) count[i] += other.count[i];
    for (std::size_t i = 0; i < Sums; ++i) sum[i] += other.sum[i];
    for (std::size_t i = 0; i < Bounds; ++i) {
      if (other.least[i] < least[i]) least[i] = other.least[i];
      if (other.most[i] > most[i]) most[i] = other.most[i];
    }
  }
  bool operator==(const tally_row&) const = default;
};

template <class Rule, class Label, class... In>
concept tally_rule = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, typename Rule::row row, site p, const view<const Label>& labels,
             const In&... in) {
  rule.add(row, p, labels, in...);
};

}  // namespace macareu
