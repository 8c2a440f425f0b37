// Rims of ranks, of any key; narrow_keys.cpp and wide_keys.cpp compile them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "engines/pieces/wave/rank_rims.hpp"

namespace macareu::pieces {
namespace {

template <class Key>
std::string bytes_of(const std::vector<Key>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Key)};
}

}  // namespace

template <class Key>
void rank_rims<Key>::solve(rim_graph<Key>& graph, const std::string& outside) {
  if (!outside.empty()) {
    std::vector<Key> values(outside.size() / sizeof(Key));
    std::memcpy(values.data(), outside.data(), outside.size());
    graph.raise(values);
  }
  graph.solve();
}

template <class Key>
std::string rank_rims<Key>::join(const rank_range& range, const std::string& first,
                                 const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  const std::vector boxes{pixels_of_(range.first, range.middle), pixels_of_(range.middle, range.end)};
  auto& graph = joined_
                    .try_emplace(
                        range.end, whole_, pixels_of_(range.first, range.end), boxes,
                        [at = boxes[1]](site p) { return std::size_t{at.contains(p)}; }, near_)
                    .first->second;
  const auto summary = [&](const std::string& bytes, const box& of) {
    return rim_summary<Key>::of(bytes, static_cast<std::size_t>(rim_of(of, near_.rank == 3).count()));
  };
  graph.add(0, summary(first, boxes[0]));
  graph.add(1, summary(second, boxes[1]));
  // The whole image has no rim that others see.
  return graph.outer() == whole_ ? std::string() : graph.contract().bytes();
}

template <class Key>
std::pair<std::string, std::string> rank_rims<Key>::split(const rank_range& range,
                                                          const std::string& outside) {
  const auto found = joined_.find(range.end);
  if (found == joined_.end()) return {outside, outside};  // to the one that has pixels
  auto graph = std::move(found->second);
  joined_.erase(found);
  solve(graph, outside);
  return {bytes_of(graph.value(0)), bytes_of(graph.value(1))};
}

template <class Key>
rank_exchange rank_rims<Key>::exchange() {
  return {[this](const rank_range& range, const std::string& first, const std::string& second) {
            return join(range, first, second);
          },
          [](const std::string&) { return std::string(); },
          [this](const rank_range& range, const std::string& outside) { return split(range, outside); }};
}

}  // namespace macareu::pieces
