// Indices of keys in descending order of key: a radix sort by bytes, for keys of any width.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace macareu::cpu {

/// Sorts the given indices. A byte that is the same in all keys costs one counting pass.
template <class Key, class Index>
void descending(const std::vector<Key>& keys, std::vector<Index>& order, std::vector<Index>& spare) {
  spare.resize(order.size());
  for (int shift = 0; shift < static_cast<int>(8 * sizeof(Key)); shift += 8) {
    std::array<std::size_t, 256> place{};
    const auto digit = [&](Index i) { return 255 - static_cast<std::size_t>(keys[i] >> shift & 0xff); };
    for (const auto i : order) ++place[digit(i)];
    if (order.empty() || place[digit(order[0])] == order.size()) continue;
    std::size_t next = 0;
    for (auto& p : place) p = std::exchange(next, next + p);
    for (const auto i : order) spare[place[digit(i)]++] = i;
    order.swap(spare);
  }
}

}  // namespace macareu::cpu
