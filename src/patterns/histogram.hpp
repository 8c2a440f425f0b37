// histogram (R2V): every pixel adds weights to bins, through sink.add(bin, weight). Every engine has its own
// sink type, so the call operator of a rule is a template.
//
// Laws. What a pixel adds depends on that pixel alone. Bins are 64-bit counts, so the order of additions does
// not matter. Bins outside the range are ignored. A rule that adds exactly 1 for every pixel declares it:
// `static constexpr bool counts = true`.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/view.hpp"

namespace macareu {

/// For engines whose threads have private bins.
struct bin_sink {
  std::span<std::uint64_t> bins;

  MACAREU_HD void add(std::int64_t bin, std::uint64_t weight = 1) const {
    if (bin >= 0 && static_cast<std::size_t>(bin) < bins.size())
      bins[static_cast<std::size_t>(bin)] += weight;
  }
};

template <class Rule, class Sink, class... In>
concept adds_to = std::is_trivially_copyable_v<Rule> &&
    requires(const Rule rule, const Sink& sink, site p, const In&... in) {
  rule(p, sink, in...);
};

template <class Rule, class... In>
concept histogram_rule = adds_to<Rule, bin_sink, In...>;

template <class Rule>
inline constexpr bool only_counts = false;
template <class Rule>
requires requires { Rule::counts; }
inline constexpr bool only_counts<Rule> = Rule::counts;

/// One bin for every integer from `first` on.
template <class T>
struct value_bins {
  static constexpr bool counts = true;
  T first;

  template <class Sink>
  MACAREU_HD void operator()(site, const Sink& sink, T value) const {
    if constexpr (sizeof(T) <= 2)
      sink.add(static_cast<std::int32_t>(value) - static_cast<std::int32_t>(first));
    else  // differences that overflow a signed number are outside the bins
      sink.add(
          static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(first)));
  }
};

}  // namespace macareu
