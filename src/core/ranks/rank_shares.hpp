// Passes over rows and numbers that ranks share without pieces.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <macareu/error.hpp>
#include <macareu/ranks.hpp>

namespace macareu {

inline io_error no_pixels_of_others() {
  return io_error("an output has no pixels from another rank; write it where all ranks see it");
}

struct rank_share {
  std::int64_t first, end;
};

/// Of so many parts of the work, those of this rank. Ranks have consecutive parts, in their order; without
/// ranks, `all` null, these are all.
inline rank_share share_of(const ranks* all, std::int64_t parts) {
  if (!all) return {0, parts};
  return {parts * all->rank() / all->size(), parts * (all->rank() + 1) / all->size()};
}

/// Numbers as a message.
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}
template <class T>
std::vector<T> numbers_in(const std::string& bytes) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  bytes.copy(reinterpret_cast<char*>(numbers.data()), bytes.size());
  return numbers;
}

/// join(own, other) of the numbers of all ranks, one by one. No-op without ranks.
template <class T, class Join>
void join_numbers(ranks* all, std::vector<T>& numbers, const Join& join) {
  if (!all) return;
  const auto join_halves = [&](const rank_range&, const std::string& first, const std::string& second) {
    auto joined = numbers_in<T>(first);
    const auto other = numbers_in<T>(second);
    for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = join(joined[i], other[i]);
    return bytes_of(joined);
  };
  numbers = numbers_in<T>(all->exchange(bytes_of(numbers), {join_halves}));
}

}  // namespace macareu
