// Union-find by threads that do not wait for each other, in a tile's shared memory and in the image.
//
// A node's entry is its parent, which is never greater than it; a root's is itself. Entries change under the
// eyes of others, so every access that can meet another is an atomic one of a whole word: loads and stores
// are relaxed, because no order between words is needed (barriers and kernels separate the phases), and a
// root is linked by an atomic minimum.
//
// Why nothing is lost. Let a thread link the root h under l, where h has been linked to f meanwhile: the
// minimum returns f, and the thread goes on to unite f and l. So whichever of the two entries h keeps, both
// stay in one tree as soon as it is done. Halving a way replaces the parent p of a node by p's parent, read
// from p before: if a link has changed the node's entry in between, then by a thread that found p there and
// unites p with what it linked to. So p leads to all that the replaced entry led to. A parent is always less
// than its node, so there is no cycle, and what a thread finds as root was one when it was read.
//
// racecheck looks at instructions: a relaxed load or store of shared memory is an ordinary one to it, and a
// hazard beside an atomic minimum. For that tool alone (MACAREU_RACECHECK) they are read-modify-write
// operations, which it knows to be atomic.
#pragma once

#include <cuda/atomic>

#include <cstdint>

namespace macareu::cuda::labels {

/// Relaxed accesses to a word of shared memory. With the address space named: an atomic_ref's are generic.
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

  /// Nodes of a column lie in different banks.
  static __device__ __forceinline__ std::uint32_t place(std::uint32_t node) {
    return node ^ ((node >> 5) & 31);
  }
  static __device__ __forceinline__ std::uint32_t node_of(std::uint32_t entry) { return entry & 0xffff; }
  static __device__ __forceinline__ std::uint32_t key_of(std::uint32_t entry) { return entry >> 16; }

  __device__ __forceinline__ std::uint32_t operator[](std::uint32_t node) const {
    return load_shared(entries + place(node));
  }
  /// For the node's owner, while nobody links.
  __device__ __forceinline__ void set(std::uint32_t node, std::uint32_t entry) const {
    store_shared(entries + place(node), entry);
  }

  /// Both ways at once, so that neither waits for the other; where they meet early, there is nothing to do.
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

  /// Shortens the way of one node alone, whose entry only its owner writes now; returns the root's entry.
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

  /// As above.
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

  /// As above. Halving the ways of others here could undo what their owners have finished.
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
