// One row of the stages of edges, from rows that have a pixel more on both sides.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engines/cpu/component/run_component.hpp"
#include "engines/cpu/simd.hpp"
#include "patterns/edges.hpp"

// Before a loop whose turns are independent of each other: what it writes, it does not read.
#if defined(__clang__)
#define MACAREU_INDEPENDENT_TURNS _Pragma("clang loop vectorize(assume_safety)")
#else
#define MACAREU_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

namespace macareu::cpu {

/// The rows around a row: at [dz + 1][dy + 1], each at its first column. In images dz is 0.
template <class Value>
struct rows_around {
  const Value* row[3][3];
};

template <class Value>
struct near_in_rows_around {
  const rows_around<Value>& rows;
  std::int64_t x;

  [[gnu::always_inline]] Value operator()(int dz, int dy, int dx) const {
    return rows.row[dz + 1][dy + 1][x + dx];
  }
};

template <class Rule, class Value>
void derive_row(const Rule& rule, const rows_around<Value>& smooth, std::int64_t count, Value* derived) {
  const Rule own = rule;
  const rows_around<Value> rows = smooth;
  MACAREU_INDEPENDENT_TURNS
  for (std::int64_t x = 0; x < count; ++x) derived[x] = own.derived(near_in_rows_around<Value>{rows, x});
}

/// Several pixels side by side.
template <class Value>
struct wide_near_in_rows {
  const rows_around<Value>& rows;
  std::int64_t x;

  [[gnu::always_inline]] vec<Value> operator()(int dz, int dy, int dx) const {
    return load(rows.row[dz + 1][dy + 1] + x + dx);
  }
};

/// The levels of 64 pixels from x on, of which `pixels` are in the row. False if all are 0; then they are not
/// written. need(word, before, after) is called before D is read, unless for the strength.
template <class Rule, class Value, class Need>
bool mark_word(const Rule& rule, std::int64_t x, std::int64_t pixels, const rows_around<Value>& s,
               const rows_around<Value>& d, std::uint8_t* levels, const Need& need) {
  using near = near_in_rows_around<Value>;
  alignas(64) Value strength[word_bits], slopes[Rule::rank][word_bits], estimates[word_bits];
  const Value least = rule.least();
  int strong = 0;
  MACAREU_INDEPENDENT_TURNS
  for (std::int64_t i = 0; i < pixels; ++i) {
    strength[i] = rule.strength(near{s, x + i}, near{d, x + i});
    strong |= !(strength[i] < least);  // of infinite pixels it may be NaN
  }
  if (!strong) return false;
  need(x / word_bits, !(strength[0] < least), !(strength[pixels - 1] < least));
  MACAREU_INDEPENDENT_TURNS
  for (std::int64_t i = 0; i < pixels; ++i) {
    Value own[Rule::rank];
    rule.slopes(near{s, x + i}, own);
    for (int axis = 0; axis < Rule::rank; ++axis) slopes[axis][i] = own[axis];
  }
  for (auto& row : slopes) std::fill(row + pixels, row + word_bits, Value{});
  std::fill(strength + pixels, strength + word_bits, Value{});
  for (std::int64_t i = 0; i < word_bits; i += simd<Value>::lanes) {
    vec<Value> slope[Rule::rank];
    for (int axis = 0; axis < Rule::rank; ++axis) slope[axis] = load(slopes[axis] + i);
    store(estimates + i, rule.estimate(load(strength + i), slope, wide_near_in_rows<Value>{d, x + i}));
  }
  std::uint8_t all = 0;
  for (std::int64_t i = 0; i < word_bits; ++i) {
    levels[i] = i < pixels ? static_cast<std::uint8_t>(estimates[i]) : std::uint8_t{0};
    all |= levels[i];
  }
  if (all & not_sure)
    for (std::int64_t i = 0; i < pixels; ++i)
      if (levels[i] == not_sure) levels[i] = rule.level(near{s, x + i}, near{d, x + i});
  return all != 0;
}

/// Two bits a pixel: level 1 or 2, and level 2. Up to 64 values behind the rows are read, and mean nothing.
template <class Rule, class Value, class Need>
void mark_row(const Rule& rule, std::int64_t count, const rows_around<Value>& smooth,
              const rows_around<Value>& derived, bit_word* marked, bit_word* certain, const Need& need) {
  const Rule own = rule;
  const rows_around<Value> s = smooth, d = derived;
  for (std::int64_t x = 0; x < count; x += word_bits) {
    alignas(64) std::uint8_t levels[word_bits], high[word_bits];
    *marked = *certain = 0;
    if (mark_word(own, x, std::min(word_bits, count - x), s, d, levels, need)) {
      for (std::int64_t i = 0; i < word_bits; ++i) {
        high[i] = levels[i] > 1;
        levels[i] = levels[i] > 0;
      }
      *marked = pack(levels);
      *certain = pack(high);
    }
    ++marked;
    ++certain;
  }
}

template <class Rule, class Value>
void keep_row(const Rule& rule, site first, std::int64_t count, const rows_around<Value>& smooth,
              const rows_around<Value>& derived, const kept_stages<Value>& kept) {
  const view<Value>& gradient = kept.gradient;
  const view<std::uint8_t>& crossings = kept.crossings;
  for (std::int64_t x = 0; x < count; ++x) {
    const site p{first.z, first.y, first.x + x};
    const near_in_rows_around<Value> s{smooth, x}, d{derived, x};
    if (gradient.data) gradient[p] = rule.gradient(s);
    if (crossings.data)
      crossings[p] = marks_at<Rule>(p, crossings.height, crossings.width) && rule.crossing(s, d);
  }
}

}  // namespace macareu::cpu
