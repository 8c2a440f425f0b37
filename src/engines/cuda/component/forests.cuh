// Lock-free union-find, in a tile's shared memory and in the image.
//
// A node's entry is its parent, which is never greater than the node; a root's entry is itself. Every access
// that can race is an atomic access to a whole word. Loads and stores are relaxed: barriers and kernel
// boundaries separate the phases, so no order between words is needed. An atomic minimum links a root.
//
// Correctness:
// - Link: a thread links the root h under l, but h has meanwhile been linked to f. The minimum returns f, and
//   the thread goes on to unite f and l. Whichever entry h keeps, both end up in one tree.
// - Path halving replaces a node's parent p by p's parent, read from p before. If a link has changed the
//   node's entry in between, the linking thread found p there and unites p with its target. So p leads to
//   everything that the replaced entry led to.
// - A parent is always less than its node, so there is no cycle. A root that a thread finds was a root when
//   it was read.
//
// racecheck treats relaxed loads and stores of shared memory as ordinary ones and reports a hazard with the
// atomic minimum. For that tool alone (MACAREU_RACECHECK) they are read-modify-write operations, which it
// accepts as atomic.
#pragma once

#include <cuda/atomic>

#include <cstdint>

namespace macareu::cuda::labels {

/// Relaxed accesses to a word of shared memory. They name the address space: atomic_ref accesses are generic.
__device__ __forceinline__ std::uint32_t load_shared(const std::uint32_t* word) {
#if defined(MACAREU_RACECHECK)
  return atomicOr(const_cast<std::uint32_t*>(word), 0u);
#else
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(word));
  std::uint32_t value;
  asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
#endif
}
__device__ __forceinline__ void store_shared(std::uint32_t* word, std::uint32_t value) {
#if defined(MACAREU_RACECHECK)
  atomicExch(word, value);
#else
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(word));
  asm volatile("st.relaxed.cta.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
#endif
}

/// Runs of a tile. Entries are key << 16 | node, where keys order nodes by the first pixels of their runs.
struct tile_forest {
  std::uint32_t* entries;

  /// Swizzled, so that nodes of a column lie in different banks.
  static __device__ __forceinline__ std::uint32_t place(std::uint32_t node) {
    return node ^ ((node >> 5) & 31);
  }
  static __device__ __forceinline__ std::uint32_t node_of(std::uint32_t entry) { return entry & 0xffff; }
  static __device__ __forceinline__ std::uint32_t key_of(std::uint32_t entry) { return entry >> 16; }

  __device__ __forceinline__ std::uint32_t operator[](std::uint32_t node) const {
    return load_shared(entries + place(node));
  }
  /// Only for the node's owner, while no thread links.
  __device__ __forceinline__ void set(std::uint32_t node, std::uint32_t entry) const {
    store_shared(entries + place(node), entry);
  }

  /// Follows both paths at once, so that neither load waits for the other, and stops where they meet.
  __device__ __forceinline__ void unite(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t entry_a = (*this)[a], entry_b = (*this)[b];
    while (entry_a != entry_b) {
      const std::uint32_t next_a = (*this)[node_of(entry_a)], next_b = (*this)[node_of(entry_b)];
      if (next_a == entry_a && next_b == entry_b) {
        const std::uint32_t low = min(entry_a, entry_b), high = max(entry_a, entry_b);
        const std::uint32_t found = atomicMin(entries + place(node_of(high)), low);
        if (found == high) return;
        a = node_of(low);
        b = node_of(high);
        entry_a = low;
        entry_b = found;
        continue;
      }
      if (next_a != entry_a) atomicMin(entries + place(a), next_a);
      if (next_b != entry_b) atomicMin(entries + place(b), next_b);
      a = node_of(entry_a);
      b = node_of(entry_b);
      entry_a = next_a;
      entry_b = next_b;
    }
  }

  /// Compresses the path of this node only and returns the root's entry. Only the node's owner may call it.
  __device__ __forceinline__ std::uint32_t shorten(std::uint32_t node) const {
    std::uint32_t entry = (*this)[node];
    if (node_of(entry) == node) return entry;
    while (true) {
      const std::uint32_t next = (*this)[node_of(entry)];
      if (next == entry) return entry;
      set(node, next);
      entry = next;
    }
  }
};

/// Parts of tiles, by id.
struct part_forest {
  using word = ::cuda::atomic_ref<std::uint32_t, ::cuda::thread_scope_device>;

  std::uint32_t* parent;

  __device__ __forceinline__ std::uint32_t operator[](std::uint32_t id) const {
    return word(parent[id]).load(::cuda::memory_order_relaxed);
  }
  __device__ __forceinline__ void set(std::uint32_t id, std::uint32_t up) const {
    word(parent[id]).store(up, ::cuda::memory_order_relaxed);
  }

  __device__ __forceinline__ std::uint32_t root(std::uint32_t id) const {
    std::uint32_t up = (*this)[id];
    while (up != id) {
      const std::uint32_t next = (*this)[up];
      if (next == up) break;
      set(id, next);
      id = up;
      up = next;
    }
    return up;
  }

  /// As in tile_forest.
  __device__ __forceinline__ void unite(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t up_a = (*this)[a], up_b = (*this)[b];
    while (up_a != up_b) {
      if (up_a == a && up_b == b) {
        const std::uint32_t low = min(a, b), high = max(a, b);
        const std::uint32_t found = atomicMin(parent + high, low);
        if (found == high) return;
        a = low;
        b = found;
        up_a = (*this)[a];
        up_b = (*this)[b];
        continue;
      }
      const std::uint32_t next_a = (*this)[up_a], next_b = (*this)[up_b];
      if (up_a != a && next_a != up_a) set(a, next_a);
      if (up_b != b && next_b != up_b) set(b, next_b);
      a = up_a;
      b = up_b;
      up_a = next_a;
      up_b = next_b;
    }
  }

  /// As in tile_forest. Halving the paths of other nodes here could undo their owners' compression.
  __device__ __forceinline__ std::uint32_t shorten(std::uint32_t id) const {
    std::uint32_t up = (*this)[id];
    if (up == id) return id;
    while (true) {
      const std::uint32_t next = (*this)[up];
      if (next == up) return up;
      set(id, next);
      up = next;
    }
  }
};

}  // namespace macareu::cuda::labels
