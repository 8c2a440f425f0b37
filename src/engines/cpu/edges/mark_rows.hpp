// The stages of edge detection on one row. Input rows have a halo of one pixel.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/ceil_div.hpp"
#include "core/wide.hpp"
#include "engines/cpu/runtime/bit_rows.hpp"
#include "engines/cpu/runtime/simd.hpp"
#include "patterns/edges.hpp"

// Precedes a loop with independent iterations: it reads nothing that it writes.
#if defined(__clang__)
#define MACAREU_INDEPENDENT_TURNS _Pragma("clang loop vectorize(assume_safety)")
#else
#define MACAREU_INDEPENDENT_TURNS _Pragma("GCC ivdep")
#endif

namespace macareu::cpu {

/// The rows around a row, at [dz + 1][dy + 1], each at its first column. In images dz is 0.
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

/// Precision of derived values: a draft decides most levels, the rest need the exact value.
enum class precision : std::uint8_t { none, draft, exact };

/// Slopes of a row along the axes of an image, from its first column on.
template <class Value>
struct slope_rows {
  Value* along[2] = {};
};

/// Where the derived value is the strength, every pixel needs it, and the slopes computed on the way are
/// kept.
template <class Rule, class Value>
void derive_row(const Rule& rule, const rows_around<Value>& smooth, std::int64_t count, Value* derived,
                const slope_rows<Value>& slopes) {
  const Rule own = rule;
  const rows_around<Value> rows = smooth;
  const slope_rows<Value> kept = slopes;
  MACAREU_INDEPENDENT_TURNS
  for (std::int64_t x = 0; x < count; ++x) {
    const near_in_rows_around<Value> near{rows, x};
    const Value found = own.derived(near);
    if constexpr (Rule::strength_is_derived) {
      Value slope[2];
      own.slopes(near, slope);
      kept.along[0][x] = slope[0];
      kept.along[1][x] = slope[1];
    }
    derived[x] = found;
  }
}

/// Adjacent pixels as one vector.
template <class Value>
struct wide_near_in_rows {
  const rows_around<Value>& rows;
  std::int64_t x;

  [[gnu::always_inline]] vec<Value> operator()(int dz, int dy, int dx) const {
    return load(rows.row[dz + 1][dy + 1] + x + dx);
  }
};

/// Computes drafts. The rule derives their error bound from `bends`, the largest second difference.
template <class Rule, class Value>
void draft_row(const Rule& rule, const rows_around<Value>& smooth, std::int64_t count, Value* derived,
               Value& bends) {
  constexpr int lanes = simd<Value>::lanes;
  const Rule own = rule;
  const rows_around<Value> rows = smooth;
  vec<Value> most{};
  std::int64_t x = 0;
  for (; x + lanes <= count; x += lanes)
    store(derived + x, own.drafted(wide_near_in_rows<Value>{rows, x}, most));
  for (int lane = 0; lane < lanes; ++lane) bends = greater(bends, Value(most[lane]));
  for (; x < count; ++x) derived[x] = own.drafted(near_in_rows_around<Value>{rows, x}, bends);
}

/// Drafts of derived values that are strengths, and the slopes on the way.
template <class Rule, class Value>
void draft_strengths(const Rule& rule, const rows_around<Value>& smooth, std::int64_t count, Value* derived,
                     const slope_rows<Value>& slopes) {
  const Rule own = rule;
  const rows_around<Value> rows = smooth;
  const slope_rows<Value> kept = slopes;
  MACAREU_INDEPENDENT_TURNS
  for (std::int64_t x = 0; x < count; ++x) {
    Value slope[2];
    own.slopes(near_in_rows_around<Value>{rows, x}, slope);
    kept.along[0][x] = slope[0];
    kept.along[1][x] = slope[1];
    derived[x] = own.draft(slope);
  }
}

/// The largest magnitude of a row. Several independent maxima hide the latency of one.
template <class Value>
Value largest_size(const Value* row, std::int64_t count) {
  constexpr int lanes = simd<Value>::lanes, chains = 4;
  vec<Value> most[chains] = {};
  std::int64_t i = 0;
  for (; i + chains * lanes <= count; i += chains * lanes)
    for (int chain = 0; chain < chains; ++chain)
      most[chain] = either_greater(most[chain], magnitude(load(row + i + chain * lanes)));
  Value result = 0;
  for (const auto& each : most)
    for (int lane = 0; lane < lanes; ++lane) result = greater(result, Value(each[lane]));
  for (; i < count; ++i) result = greater(result, magnitude(row[i]));
  return result;
}

/// Whether any pixel of a word reaches the least strength of a mark. Also computes the slopes, unless they
/// are known.
template <class Rule, class Value>
bool find_strength(const Rule& rule, std::int64_t x, std::int64_t pixels, const rows_around<Value>& s,
                   const rows_around<Value>& d, Value* strength, Value (&slopes)[Rule::rank][word_bits]) {
  using near = near_in_rows_around<Value>;
  const Value least = rule.least();
  int weak = 1;
  MACAREU_INDEPENDENT_TURNS
  for (std::int64_t i = 0; i < pixels; ++i) {
    const Value found = rule.strength(near{s, x + i}, near{d, x + i});
    if constexpr (!Rule::strength_is_derived) {
      Value own[Rule::rank];
      rule.slopes(near{s, x + i}, own);
      for (int axis = 0; axis < Rule::rank; ++axis) slopes[axis][i] = own[axis];
    }
    strength[i] = found;
    weak &= found < least;  // NaN, from infinite pixels, is not weak
  }
  return !weak;
}

/// Levels (or not_sure) of the first `pixels` of a word, a multiple of the vector width, from values derived
/// within `error`. Returns their OR.
template <class Rule, class Value>
std::uint8_t estimate_word(const Rule& rule, std::int64_t x, std::int64_t pixels, const Value* strength,
                           const Value* const (&slopes)[Rule::rank], const rows_around<Value>& d, Value error,
                           std::uint8_t* levels) {
  alignas(64) Value estimates[word_bits];
  for (std::int64_t i = 0; i < pixels; i += simd<Value>::lanes) {
    vec<Value> slope[Rule::rank];
    for (int axis = 0; axis < Rule::rank; ++axis) slope[axis] = load(slopes[axis] + i);
    const wide_near_in_rows<Value> derived{d, x + i};
    if constexpr (Rule::strength_is_derived) {
      if (error > 0) {
        store(estimates + i, rule.estimate_drafts(load(strength + i), slope, derived));
        continue;
      }
    }
    store(estimates + i, rule.estimate(load(strength + i), slope, derived, error));
  }
  std::uint8_t all = 0;
  for (std::int64_t i = 0; i < pixels; ++i) {
    levels[i] = static_cast<std::uint8_t>(estimates[i]);
    all |= levels[i];
  }
  return all;
}

/// The levels of 64 pixels from x on, of which `pixels` are in the row. Returns false, and writes none, if
/// all are 0. Calls error = need(word, before, after, precision) before it reads d, except for the strength.
template <class Rule, class Value, class Need>
bool mark_word(const Rule& rule, std::int64_t x, std::int64_t pixels, const rows_around<Value>& s,
               const rows_around<Value>& d, const slope_rows<Value>& known, std::uint8_t* levels,
               const Need& need) {
  using near = near_in_rows_around<Value>;
  alignas(64) Value strength[word_bits], found[Rule::rank][word_bits];
  if (!find_strength(rule, x, pixels, s, d, strength, found)) return false;
  const Value least = rule.least();
  const bool before = !(strength[0] < least), after = !(strength[pixels - 1] < least);
  const Value error = need(x / word_bits, before, after, precision::draft);
  // Whole vectors, but not a whole word: a narrow image has fewer pixels.
  constexpr std::int64_t lanes = simd<Value>::lanes;
  const auto whole = ceil_div(pixels, lanes) * lanes;
  const Value* slopes[Rule::rank];
  for (int axis = 0; axis < Rule::rank; ++axis) {
    if constexpr (Rule::strength_is_derived)
      slopes[axis] = known.along[axis] + x;
    else
      slopes[axis] = found[axis];
    std::fill(found[axis] + pixels, found[axis] + whole, Value{});
  }
  std::fill(strength + pixels, strength + whole, Value{});
  auto all = estimate_word(rule, x, whole, strength, slopes, d, error, levels);
  if (error > 0 && (all & not_sure)) {
    need(x / word_bits, before, after, precision::exact);
    if constexpr (Rule::strength_is_derived) std::copy_n(d.row[1][1] + x, pixels, strength);
    all = estimate_word(rule, x, whole, strength, slopes, d, Value{0}, levels);
  }
  std::fill(levels + pixels, levels + word_bits, std::uint8_t{0});
  if (all & not_sure)
    for (std::int64_t i = 0; i < pixels; ++i)
      if (levels[i] == not_sure) levels[i] = rule.level(near{s, x + i}, near{d, x + i});
  return all != 0;
}

/// Two bits per pixel: level 1 or 2, and level 2. Reads up to 64 values past the end of rows and ignores
/// them.
template <class Rule, class Value, class Need>
void mark_row(const Rule& rule, std::int64_t count, const rows_around<Value>& smooth,
              const rows_around<Value>& derived, const slope_rows<Value>& slopes, bit_word* marked,
              bit_word* certain, const Need& need) {
  const Rule own = rule;
  const rows_around<Value> s = smooth, d = derived;
  for (std::int64_t x = 0; x < count; x += word_bits) {
    alignas(64) std::uint8_t levels[word_bits], high[word_bits];
    *marked = *certain = 0;
    if (mark_word(own, x, std::min(word_bits, count - x), s, d, slopes, levels, need)) {
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
              const rows_around<Value>& derived, const kept_views<Value>& kept) {
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
