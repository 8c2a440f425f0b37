// Layout of a tile's shared memory, and the links between its basins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engines/cuda/tuning.hpp"
#include "engines/cuda/wave/contraction/tile_shape.cuh"

namespace macareu::cuda::contraction {

constexpr uint32_t final_basin = 0x8000u;

/// Link of a basin: the narrowest weight on the path, and the component (with final_basin) in 16 bits.
template <class Key>
struct basin_link {
  using word = std::conditional_t<sizeof(Key) <= 2, uint32_t, unsigned long long>;
  word bits;

  __device__ static basin_link of(Key weight, uint32_t to) {
    return {static_cast<word>(weight) << shift | to};
  }
  __device__ static basin_link self(uint32_t basin) { return of(std::numeric_limits<Key>::max(), basin); }
  __device__ Key weight() const { return static_cast<Key>(bits >> shift); }
  __device__ uint32_t to() const { return static_cast<uint32_t>(bits) & 0xffffu; }

  static constexpr int shift = 4 * sizeof(word);
};
template <>
struct basin_link<uint64_t> {
  ulonglong2 bits;

  __device__ static basin_link of(uint64_t weight, uint32_t to) { return {make_ulonglong2(weight, to)}; }
  __device__ static basin_link self(uint32_t basin) { return of(~uint64_t{0}, basin); }
  __device__ uint64_t weight() const { return bits.x; }
  __device__ uint32_t to() const { return static_cast<uint32_t>(bits.y); }
};

extern __shared__ __align__(16) unsigned char tile_bytes[];

/// Overlaid arrays: `way` and `open` occupy the arrays of basins and labels until basins are numbered. At the
/// end the table of edges replaces `best` and `next`.
template <class Key, class Shape>
struct tile_memory {
  using word = word_of<Key>;
  using link = basin_link<Key>;
  static constexpr bool tag_in_word = sizeof(Key) <= 2;
  static constexpr int table_slots =
      Shape::depth > 1 ? tuning::volume_edge_places : tuning::image_edge_places;

  static constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  static constexpr std::size_t label_at = aligned(Shape::mask_size * sizeof(Key));
  static constexpr std::size_t marker_at = label_at + Shape::pixels * sizeof(uint16_t);
  static constexpr std::size_t link_at = marker_at + Shape::basins * sizeof(word);
  static constexpr std::size_t best_at = link_at + Shape::basins * sizeof(link);
  static constexpr std::size_t tag_at = best_at + Shape::basins * sizeof(word);
  static constexpr std::size_t next_at = tag_at + (tag_in_word ? 0 : Shape::basins * sizeof(uint32_t));
  static constexpr std::size_t after_basins =
      std::max({next_at + Shape::basins * sizeof(link), marker_at + Shape::pixels * sizeof(uint32_t),
                best_at + table_slots*(sizeof(word) + sizeof(uint32_t))});
  static constexpr std::size_t list_at = aligned(after_basins);

  /// What each of the blocks that share a multiprocessor may take. The list of edges takes the rest of it, or
  /// what tiles of noise need.
  static constexpr std::size_t share = 228 * 1024 / tuning::contracted_image_blocks - 1024 - 32;
  static constexpr std::size_t noisy = 2 * Shape::pixels * sizeof(uint16_t);
  static constexpr int list_capacity =
      (list_at + noisy / 4 < share && Shape::depth == 1 ? std::min(noisy, (share - list_at) / 16 * 16)
                                                        : noisy) /
      sizeof(uint16_t);
  static constexpr std::size_t count_at = aligned(list_at + list_capacity * sizeof(uint16_t));
  static constexpr std::size_t bytes = count_at + 32;

  /// Blocks per multiprocessor that registers and shared memory allow.
  static constexpr int blocks =
      std::min<int>(Shape::depth > 1 ? tuning::contracted_volume_blocks : 2048 / Shape::threads,
                    static_cast<int>(228 * 1024 / (bytes + 1024)));

  template <class T>
  __device__ static T* array(std::size_t place) {
    return reinterpret_cast<T*>(tile_bytes + place);
  }
  __device__ static Key* mask() { return array<Key>(0); }
  __device__ static uint16_t* label() { return array<uint16_t>(label_at); }
  __device__ static uint32_t* way() { return array<uint32_t>(marker_at); }  // of each pixel, upwards
  __device__ static word* marker() { return array<word>(marker_at); }
  __device__ static link* links() { return array<link>(link_at); }
  __device__ static word* best() { return array<word>(best_at); }
  __device__ static uint32_t* tag() { return array<uint32_t>(tag_at); }
  __device__ static link* next() { return array<link>(next_at); }
  __device__ static word* table_weight() { return array<word>(best_at); }
  __device__ static uint32_t* table_pair() { return array<uint32_t>(best_at + table_slots * sizeof(word)); }
  __device__ static uint32_t* slot() { return array<uint32_t>(best_at); }  // of open components
  __device__ static uint16_t* list() { return array<uint16_t>(list_at); }

  __device__ static uint32_t& basin_count() { return array<uint32_t>(count_at)[0]; }
  __device__ static uint32_t& list_count() { return array<uint32_t>(count_at)[1]; }
  __device__ static uint32_t& node_count() { return array<uint32_t>(count_at)[2]; }
  __device__ static uint32_t& edge_count() { return array<uint32_t>(count_at)[3]; }
  __device__ static uint32_t& first_node() { return array<uint32_t>(count_at)[4]; }
  __device__ static unsigned long long& first_edge() { return array<unsigned long long>(count_at)[3]; }

  __device__ static Key capacity(int pixel) { return mask()[Shape::mask_index(pixel)]; }
};

}  // namespace macareu::cuda::contraction
