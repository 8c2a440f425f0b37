#include "patterns/component_rims.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "core/ceil_div.hpp"

namespace macareu {
namespace {

/// The objects of a block that may continue in other blocks, in the order of their numbers. Those in its
/// first slice are 1, 2, ...; the later ones are listed.
struct rim_objects {
  std::uint32_t in_first = 0;
  std::vector<std::uint32_t> later;
  std::size_t base = 0;  // node of the first

  std::size_t size() const { return in_first + later.size(); }
  std::uint32_t number(std::size_t i) const {
    return i < in_first ? static_cast<std::uint32_t>(i + 1) : later[i - in_first];
  }
  std::size_t node(std::uint32_t number) const {
    if (number <= in_first) return base + number - 1;
    return base + in_first +
           static_cast<std::size_t>(std::ranges::lower_bound(later, number) - later.begin());
  }
};

rim_objects objects_on_rims(const block_residue& block) {
  rim_objects found;
  found.in_first = block.in_first;
  for (const auto& pair : block.to_next)
    if (pair.own > block.in_first) found.later.push_back(pair.own);
  std::ranges::sort(found.later);
  found.later.erase(std::unique(found.later.begin(), found.later.end()), found.later.end());
  return found;
}

/// Union-find over nodes in the order of first pixels: the root is the least node of an object. It is
/// lock-free: compare-and-swap links a root, and path halving only replaces a parent by an ancestor.
class rim_forest {
 public:
  explicit rim_forest(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  std::size_t root(std::size_t node) {
    while (true) {
      const auto up = at(node).load(std::memory_order_relaxed);
      if (up == node) return node;
      const auto next = at(up).load(std::memory_order_relaxed);
      if (next == up) return up;
      at(node).store(next, std::memory_order_relaxed);
      node = next;
    }
  }
  void unite(std::size_t a, std::size_t b) {
    while (true) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      if (a > b) std::swap(a, b);
      auto expected = b;
      if (at(b).compare_exchange_strong(expected, a, std::memory_order_relaxed)) return;
    }
  }

 private:
  std::atomic_ref<std::size_t> at(std::size_t node) { return std::atomic_ref(parent_[node]); }
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<rim_pair> rim_pairs(std::span<const std::uint32_t> own, std::span<const std::uint32_t> next,
                                std::uint32_t own_objects, const host_threads& threads) {
  constexpr std::size_t piece = 1 << 16;
  std::vector<std::vector<rim_pair>> found(ceil_div(own.size(), piece));
  threads.for_each(found.size(), [&](std::size_t i) {
    rim_pair last{0, 0};
    for (auto p = i * piece; p < std::min(own.size(), (i + 1) * piece); ++p) {
      const rim_pair pair{own[p], next[p]};
      if (pair == last || pair.own == 0 || pair.own > own_objects) continue;
      found[i].push_back(last = pair);
    }
  });
  std::vector<rim_pair> all;
  for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
  return all;
}

merged_blocks merge_rims(const std::vector<block_residue>& blocks, const host_threads& threads) {
  std::vector<rim_objects> rims(blocks.size());
  threads.for_each(blocks.size(), [&](std::size_t b) { rims[b] = objects_on_rims(blocks[b]); });
  std::size_t nodes = 0;
  for (auto& rim : rims) {
    rim.base = nodes;
    nodes += rim.size();
  }

  rim_forest forest(nodes);
  threads.for_each(blocks.size(), [&](std::size_t b) {
    for (const auto& pair : blocks[b].to_next)
      forest.unite(rims[b].node(pair.own), rims[b + 1].node(pair.next));
  });

  merged_blocks merged{std::vector<block_answer>(blocks.size())};
  std::vector<std::uint64_t> name(nodes);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    auto& answer = merged.blocks[b];
    answer.before = merged.count;
    for (std::size_t i = 0; i < rims[b].size(); ++i) {
      const auto node = rims[b].base + i, root = forest.root(node);
      const auto number = rims[b].number(i);
      if (root == node) {
        name[node] = answer.before + number - answer.moved.size();
      } else {
        answer.moved.push_back(number);
        answer.target.push_back(name[root]);
      }
    }
    merged.count += blocks[b].objects - answer.moved.size();
  }
  return merged;
}

}  // namespace macareu
