// Summaries of rims, of any key; narrow_keys.cpp and wide_keys.cpp compile them.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

#include <macareu/error.hpp>

#include "engines/pieces/wave/rim_flood.hpp"

namespace macareu::pieces {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Pixels by level, of which the highest comes first. Levels never rise above the one that is being emptied.
template <class Key>
class level_queue {
 public:
  void push(Key level, std::uint32_t pixel, bool on_rim) {
    if constexpr (buckets) {
      (on_rim ? rim_ : inner_)[level].push_back(pixel);
      highest_ = std::max<int>(highest_, level);
    } else {
      queue_.push({level, on_rim, pixel});
    }
  }
  /// 0 if it is empty.
  Key highest() {
    if constexpr (buckets) {
      while (highest_ > 0 && rim_[level()].empty() && inner_[level()].empty()) --highest_;
      return static_cast<Key>(highest_);
    } else {
      return queue_.empty() ? Key{0} : queue_.top().level;
    }
  }
  /// Of the highest level; pixels on the rim come first: their edges are free.
  std::pair<std::uint32_t, bool> pop() {
    if constexpr (buckets) {
      const bool on_rim = !rim_[level()].empty();
      auto& from = (on_rim ? rim_ : inner_)[level()];
      const auto pixel = from.back();
      from.pop_back();
      return {pixel, on_rim};
    } else {
      const auto top = queue_.top();
      queue_.pop();
      return {top.pixel, top.on_rim};
    }
  }

 private:
  static constexpr bool buckets = sizeof(Key) <= 2;
  struct item {
    Key level;
    bool on_rim;
    std::uint32_t pixel;
    bool operator<(const item& other) const {
      return level != other.level ? level < other.level : on_rim < other.on_rim;
    }
  };
  std::size_t level() const { return static_cast<std::size_t>(highest_); }

  int highest_ = 0;
  static constexpr std::size_t levels = buckets ? std::size_t{1} << 8 * (sizeof(Key) & 3) : 0;
  std::vector<std::vector<std::uint32_t>> rim_{levels}, inner_{levels};
  std::priority_queue<item> queue_;
};

struct sets {
  std::vector<std::uint32_t> parent;
  explicit sets(std::size_t count) : parent(count) { std::iota(parent.begin(), parent.end(), 0u); }
  std::uint32_t root(std::uint32_t n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  }
};

}  // namespace

template <class Key>
bool rim_flood<Key>::flood(const neighbourhood& near, const piece_keys<Key>& keys, std::size_t most,
                           rim_summary<Key>& summary, std::vector<open_pixel<Key>>& open) {
  open.clear();
  if (seeds_.empty()) return true;
  // Where the whole rim is open most of the piece is, as in holes to be filled: flooding would be in vain.
  if (seeds_.size() == summary.capacity.size()) return false;
  if (node_.size() < keys.capacity.size()) {
    node_.resize(keys.capacity.size(), none);
    upper_.resize(keys.capacity.size());
  }
  std::vector<std::ptrdiff_t> steps, rim_steps;
  near.for_each({0, 0, 0}, [&](site d) {
    const auto step = static_cast<std::ptrdiff_t>(d.z * keys.slice + d.y * keys.pitch + d.x);
    steps.push_back(step);
    if (d.z * d.z + d.y * d.y + d.x * d.x == 1) rim_steps.push_back(step);
  });
  const auto size = keys.piece.size;
  const auto rim = rim_of(keys.piece, keys.volume);
  // One division of 32 bits in images: those of 64 bits would take half of the time of the flood.
  const auto pitch = static_cast<std::uint32_t>(keys.pitch), rows = static_cast<std::uint32_t>(size.y + 2);
  const auto place = [&](std::uint32_t i) {
    const auto row = i / pitch, slice = keys.volume ? row / rows : 0;
    return site{std::int64_t{slice} - keys.volume, std::int64_t{row - slice * rows} - 1,
                std::int64_t{i - row * pitch} - 1};
  };
  const auto on_rim = [&](site p) {
    return p.y == 0 || p.x == 0 || p.y == size.y - 1 || p.x == size.x - 1 ||
           (keys.volume && (p.z == 0 || p.z == size.z - 1));
  };
  const auto number = [&](site p) {
    return static_cast<std::uint32_t>(
        rim.index(static_cast<int>(p.z), static_cast<int>(p.y), static_cast<int>(p.x)));
  };
  sets joined(summary.capacity.size());
  level_queue<Key> queue;
  settled_.clear();
  const auto settle = [&](std::uint32_t i, std::uint32_t node, Key level) {
    node_[i] = node;
    upper_[i] = level;
    settled_.push_back(i);
    queue.push(level, i, on_rim(place(i)));
  };
  const auto join = [&](std::uint32_t a, std::uint32_t b, Key level, bool told) {
    if (a == b) return;  // most neighbours
    a = joined.root(a), b = joined.root(b);
    if (a == b) return;
    joined.parent[a] = b;
    if (told) summary.edges.push_back({a, b, level});
  };
  std::ranges::sort(seeds_, [](const seed& a, const seed& b) { return a.level > b.level; });
  for (std::size_t next = 0;;) {
    Key level = queue.highest();
    if (next < seeds_.size() && seeds_[next].level >= level) level = seeds_[next].level;
    if (level == 0) break;
    for (; next < seeds_.size() && seeds_[next].level == level; ++next)
      if (node_[seeds_[next].at] == none) settle(seeds_[next].at, number(place(seeds_[next].at)), level);
    while (queue.highest() == level) {
      if (settled_.size() > most) {
        for (const auto i : settled_) node_[i] = none;
        summary.edges.clear();
        return false;
      }
      const auto [i, at_rim] = queue.pop();
      if (at_rim) {
        const auto own = number(place(i));
        for (const auto step : rim_steps) {
          const auto q = static_cast<std::uint32_t>(i + step);
          if (node_[q] == none || upper_[q] < level) continue;
          if (const auto p = place(q); on_rim(p)) join(own, number(p), level, false);
        }
        if (node_[i] != own) join(own, node_[i], level, true);
      }
      for (const auto step : steps) {
        const auto q = static_cast<std::uint32_t>(i + step);
        if (node_[q] != none) {
          if (upper_[q] >= level) join(node_[i], node_[q], level, true);
        } else if (const Key reached = std::min(level, keys.capacity[q]); reached > keys.value[q]) {
          settle(q, node_[i], reached);
        }
      }
    }
  }
  open.reserve(settled_.size());
  for (const auto i : settled_) {
    const auto p = place(i);
    open.push_back({static_cast<std::uint32_t>((p.z * size.y + p.y) * size.x + p.x), node_[i], upper_[i]});
    node_[i] = none;
  }
  return true;
}

namespace {

/// Numbers of 7 bits a byte, the lowest first: most are small.
void add_short(std::string& to, std::uint64_t number) {
  for (; number >= 128; number >>= 7) to.push_back(static_cast<char>(number | 128));
  to.push_back(static_cast<char>(number));
}

/// Reads what bytes() wrote. Throws io_error at the end of the bytes.
class rim_reader {
 public:
  explicit rim_reader(std::string_view bytes) : rest_(bytes) {}

  [[noreturn]] static void refuse() { throw io_error("work files of pieces: a rim of a wave is damaged"); }
  bool has_more() const { return !rest_.empty(); }
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) refuse();
    const auto found = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return found;
  }
  std::uint64_t short_number() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      number |= std::uint64_t{byte & 127u} << shift;
      if (byte < 128) return number;
    }
    refuse();
  }
  template <class Key>
  Key key() {
    Key found;
    std::memcpy(&found, take(sizeof found).data(), sizeof found);
    return found;
  }

 private:
  std::string_view rest_;
};

bool bit_of(std::string_view bits, std::size_t i) { return (bits[i / 8] >> i % 8 & 1) != 0; }

}  // namespace

template <class Key>
std::string rim_summary<Key>::bytes() const {
  // Pixels with a capacity, and those whose value is another: only these have keys.
  const auto mask = (capacity.size() + 7) / 8;
  std::string all(2 * mask, '\0');
  const auto set = [&](std::size_t from, std::size_t i) {
    all[from + i / 8] = static_cast<char>(all[from + i / 8] | 1 << i % 8);
  };
  const auto add = [&](Key key) { all.append(reinterpret_cast<const char*>(&key), sizeof key); };
  for (std::size_t i = 0; i < capacity.size(); ++i) {
    if (capacity[i] != 0) set(0, i);
    if (value[i] != capacity[i]) set(mask, i);
  }
  for (std::size_t i = 0; i < capacity.size(); ++i) {
    if (capacity[i] != 0) add(capacity[i]);
    if (value[i] != capacity[i]) add(value[i]);
  }
  auto sorted = edges;
  std::ranges::sort(sorted, {}, [](const rim_edge<Key>& edge) { return std::pair(edge.a, edge.b); });
  std::uint32_t last = 0;
  for (const auto& edge : sorted) {
    add_short(all, edge.a - last);
    const auto step = static_cast<std::int64_t>(edge.b) - edge.a;
    add_short(all, static_cast<std::uint64_t>(step < 0 ? -2 * step - 1 : 2 * step));
    add(edge.weight);
    last = edge.a;
  }
  return all;
}

template <class Key>
rim_summary<Key> rim_summary<Key>::of(std::string_view bytes, std::size_t nodes) {
  rim_reader from(bytes);
  const auto has_capacity = from.take((nodes + 7) / 8), differs = from.take((nodes + 7) / 8);
  rim_summary summary;
  summary.capacity.resize(nodes);
  summary.value.resize(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    if (bit_of(has_capacity, i)) summary.capacity[i] = from.key<Key>();
    summary.value[i] = bit_of(differs, i) ? from.key<Key>() : summary.capacity[i];
  }
  for (std::uint64_t last = 0; from.has_more();) {
    const auto a = last + from.short_number(), step = from.short_number();
    const auto b = step % 2 != 0 ? a - (step + 1) / 2 : a + step / 2;
    if (a >= nodes || b >= nodes) rim_reader::refuse();
    summary.edges.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), from.key<Key>()});
    last = a;
  }
  return summary;
}

}  // namespace macareu::pieces
