// extremes on the cpu, compiled once for each width of keys.
#pragma once

#include <cstdint>
#include <span>

#include "core/call.hpp"
#include "patterns/extremes.hpp"

namespace macareu::cpu {

inline constexpr std::int64_t extreme_slack = 64;

template <class Key>
struct extreme_kernels {
  /// to[i] = the least of rows[0][i] ... rows[count - 1][i]. `to` may be one of the rows.
  void (*least)(const Key* const* rows, int count, std::int64_t width, Key* to);
  /// to[i] = min(a[i], b[i]), in whole vectors: reads and writes up to `extreme_slack` values more. `to` may
  /// be `a`, and `b` a later part of it.
  void (*lesser)(const Key* a, const Key* b, std::int64_t width, Key* to);
  /// Bits to keys and back, also in place.
  void (*keys)(const key_map<Key>& order, const Key* from, std::int64_t width, Key* to);
  void (*bits)(const key_map<Key>& order, const Key* from, std::int64_t width, Key* to);
};

struct all_extreme_kernels {
  extreme_kernels<std::uint8_t> u8;
  extreme_kernels<std::uint16_t> u16;
  extreme_kernels<std::uint32_t> u32;
  extreme_kernels<std::uint64_t> u64;
};

/// Of the instruction set that this is compiled for, and of the chosen one.
extern const all_extreme_kernels own_extreme_kernels;
const all_extreme_kernels& best_extreme_kernels();

/// Instances: u8, u16, u32 and u64.
template <class Key>
void run_extremes(const job& work, const key_map<Key>& order, std::span<const chord> footprint,
                  const border<Key>& edge, const view<Key>& out, const view<const Key>& in);

}  // namespace macareu::cpu
