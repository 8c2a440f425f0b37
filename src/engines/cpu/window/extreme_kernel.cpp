// Compiled once per instruction set (engines/cpu/runtime/simd.hpp). The minima of a block of pixels stay in
// registers across all rows.
#include "engines/cpu/runtime/simd.hpp"
#include "engines/cpu/window/extremes.hpp"

namespace macareu::cpu {
namespace {

template <class Key, int Parts>
[[gnu::always_inline]] inline void least_block(const Key* const* rows, int count, std::int64_t i, Key* to) {
  constexpr int lanes = simd<Key>::lanes;
  vec<Key> least[Parts];
  for (int p = 0; p < Parts; ++p) least[p] = load(rows[0] + i + p * lanes);
  for (int j = 1; j < count; ++j)
    for (int p = 0; p < Parts; ++p) least[p] = min(least[p], load(rows[j] + i + p * lanes));
  for (int p = 0; p < Parts; ++p) store(to + i + p * lanes, least[p]);
}

template <class Key>
void least(const Key* const* rows, int count, std::int64_t width, Key* to) {
  constexpr int lanes = simd<Key>::lanes, parts = 4;
  std::int64_t i = 0;
  for (; i + parts * lanes <= width; i += parts * lanes) least_block<Key, parts>(rows, count, i, to);
  for (; i + lanes <= width; i += lanes) least_block<Key, 1>(rows, count, i, to);
  if (i < width && i > 0) return least_block<Key, 1>(rows, count, width - lanes, to);  // some of it again
  for (; i < width; ++i) {
    Key value = rows[0][i];
    for (int j = 1; j < count; ++j) value = rows[j][i] < value ? rows[j][i] : value;
    to[i] = value;
  }
}

template <class Key>
void lesser(const Key* a, const Key* b, std::int64_t width, Key* to) {
  for (std::int64_t i = 0; i < width; i += simd<Key>::lanes) store(to + i, min(load(a + i), load(b + i)));
}

template <class Key, class Convert>
[[gnu::always_inline]] inline void convert_row(const Key* from, std::int64_t width, Key* to,
                                               const Convert& convert) {
  for (std::int64_t i = 0; i < width; ++i) to[i] = convert(from[i]);
}

/// Maps with constant members, so that loops have no choices.
template <class Key, class Convert>
[[gnu::always_inline]] inline void with_order(const key_map<Key>& order, const Convert& convert) {
  if (order.floating)
    convert(key_map<Key>{order.flip, true});
  else
    convert(key_map<Key>{order.flip, false});
}

template <class Key>
void keys(const key_map<Key>& order, const Key* from, std::int64_t width, Key* to) {
  with_order(order, [&](const key_map<Key>& own) {
    convert_row(from, width, to, [&](Key bits) { return own.key(bits); });
  });
}

template <class Key>
void bits(const key_map<Key>& order, const Key* from, std::int64_t width, Key* to) {
  with_order(order, [&](const key_map<Key>& own) {
    convert_row(from, width, to, [&](Key key) { return own.bits(key); });
  });
}

template <class Key>
constexpr extreme_kernels<Key> kernels{&least<Key>, &lesser<Key>, &keys<Key>, &bits<Key>};

}  // namespace

const all_extreme_kernels own_extreme_kernels{kernels<std::uint8_t>, kernels<std::uint16_t>,
                                              kernels<std::uint32_t>, kernels<std::uint64_t>};

}  // namespace macareu::cpu
