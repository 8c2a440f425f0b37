// Union-find by threads that do not wait for each other, in a tile's shared memory and in the image.
//
// A node's entry is its parent, which is never greater than it; a root's is itself. Entries change under the
// eyes of others: they are read and written whole (volatile accesses are relaxed ones to the GPU), and no
// order between them is needed. A root is linked by an atomic minimum. If that finds that the node was linked
// meanwhile, what the node led to is still to be united, and the thread that found it goes on with that; so a
// link that another store replaces is never lost.
#pragma once

#include <cstdint>

namespace macareu::cuda::labels {

/// Runs of a tile. Entries are key << 16 | node, where keys order nodes by the first pixels of their runs.
struct tile_forest {
  std::uint32_t* entries;

  /// Nodes of a column lie in different banks.
  static __device__ __forceinline__ std::uint32_t place(std::uint32_t node) {
    return node ^ ((node >> 5) & 31);
  }
  static __device__ __forceinline__ std::uint32_t node_of(std::uint32_t entry) { return entry & 0xffff; }
  static __device__ __forceinline__ std::uint32_t key_of(std::uint32_t entry) { return entry >> 16; }

  __device__ __forceinline__ volatile std::uint32_t& operator[](std::uint32_t node) const {
    return entries[place(node)];
  }

  /// The root's entry.
  __device__ __forceinline__ std::uint32_t root(std::uint32_t node) const {
    std::uint32_t entry = (*this)[node];
    while (node_of(entry) != node) {
      const std::uint32_t next = (*this)[node_of(entry)];
      if (next == entry) break;
      (*this)[node] = next;
      node = node_of(entry);
      entry = next;
    }
    return entry;
  }

  __device__ __forceinline__ void unite(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t low = root(a), high = root(b);
    while (low != high) {
      if (low > high) {
        const std::uint32_t other = low;
        low = high;
        high = other;
      }
      const std::uint32_t found = atomicMin(&entries[place(node_of(high))], low);
      if (found == high) return;
      high = root(node_of(found));
      low = root(node_of(low));
    }
  }

  /// Shortens the way of one node alone, whose entry only its owner writes; returns the root's entry.
  __device__ __forceinline__ std::uint32_t shorten(std::uint32_t node) const {
    std::uint32_t entry = (*this)[node];
    if (node_of(entry) == node) return entry;
    while (true) {
      const std::uint32_t next = (*this)[node_of(entry)];
      if (next == entry) return entry;
      (*this)[node] = next;
      entry = next;
    }
  }
};

/// Parts of tiles, by id.
struct part_forest {
  std::uint32_t* parent;

  __device__ __forceinline__ volatile std::uint32_t& operator[](std::uint32_t id) const { return parent[id]; }

  __device__ __forceinline__ std::uint32_t root(std::uint32_t id) const {
    std::uint32_t up = (*this)[id];
    while (up != id) {
      const std::uint32_t next = (*this)[up];
      if (next == up) break;
      (*this)[id] = next;
      id = up;
      up = next;
    }
    return up;
  }

  __device__ __forceinline__ void unite(std::uint32_t a, std::uint32_t b) const {
    while (true) {
      a = root(a);
      b = root(b);
      if (a == b) return;
      const std::uint32_t low = a < b ? a : b, high = a < b ? b : a;
      const std::uint32_t found = atomicMin(parent + high, low);
      if (found == high) return;
      a = low;
      b = found;
    }
  }

  /// As above. Halving the ways of others here could undo what their owners have finished.
  __device__ __forceinline__ std::uint32_t shorten(std::uint32_t id) const {
    std::uint32_t up = (*this)[id];
    if (up == id) return id;
    while (true) {
      const std::uint32_t next = (*this)[up];
      if (next == up) return up;
      (*this)[id] = next;
      up = next;
    }
  }
};

}  // namespace macareu::cuda::labels
