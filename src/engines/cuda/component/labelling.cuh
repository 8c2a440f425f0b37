// Labels one block of an image (a whole image or slices of it) in device memory.
//
//   read     pixels to bits, by the rule                          pixel_planes.cuh
//            the same with solve's first step, for byte images    read_tiles.cuh
//   solve    parts of objects inside tiles                        inside_tiles.cuh
//            union of parts of neighbouring tiles                 across_tiles.cuh
//            first pixels of objects and their counts             numbers.cuh
//   write    every pixel's number                                 write_labels.cuh
//
//   link     replaces solve and write: pixels of objects that contain a start     linked.cuh
//
// No step waits for the host. A block has at most 2^31 (with classes 2^32) slots of first pixels.
#pragma once

#include <algorithm>

#include "core/neighbourhood.hpp"
#include "engines/cuda/component/read_tiles.cuh"
#include "engines/cuda/component/write_labels.cuh"

namespace macareu::cuda::labels {

struct block_shape {
  std::int64_t depth, height, width;
  neighbourhood near;
  bool classes;
};

/// Calls visit.template operator()<Shape>() with the tile shape for the neighbourhood.
template <class Visit>
auto with_shape(const block_shape& block, Visit&& visit) {
  const bool volume = block.near.rank == 3;
  if (block.classes)
    return volume ? visit.template operator()<class_volume>() : visit.template operator()<class_image>();
  if (!volume)
    return block.near.reach > 1 ? visit.template operator()<full_image>()
                                : visit.template operator()<face_image>();
  if (block.near.reach > 2) return visit.template operator()<full_volume>();
  return block.near.reach > 1 ? visit.template operator()<edge_volume>()
                              : visit.template operator()<face_volume>();
}

/// Whether 32-bit ids suffice for all slots.
bool fits_ids(const block_shape& block);

/// Device memory for a block, besides its pixels and labels.
std::int64_t bytes_for(const block_shape& block);

/// Bytes of the bit planes that read() writes.
std::int64_t bits_of(const block_shape& block);

class labelling {
 public:
  labelling(const gpu& on, const block_shape& block);

  template <class Rule, class T>
  void read(const Rule& rule, const view<const T>& image) {
    if constexpr (one_class<Rule> && sizeof(T) == 1) {
      if (block_.near.rank == 2)
        return block_.near.reach > 1 ? read_image<full_image>(rule, image)
                                     : read_image<face_image>(rule, image);
    }
    if constexpr (one_class<Rule>)
      write_planes<full_image>(on_, grid_, block_.near, rule, image, memory_.planes);
    else if (block_.near.rank == 3)
      write_planes<class_volume>(on_, grid_, block_.near, rule, image, memory_.planes);
    else
      write_planes<class_image>(on_, grid_, block_.near, rule, image, memory_.planes);
  }

  /// Copies the bit planes of read() to device memory; take_bits() restores them in place of read().
  void keep_bits(std::uint64_t* to) const { copy_bits(to, memory_.planes); }
  void take_bits(const std::uint64_t* from) const { copy_bits(memory_.planes, from); }

  /// `own_slices`: slices (rows, in an image) of this block. The last one read may belong to the next block.
  void solve(std::int64_t own_slices) const;
  void solve() const { solve(std::max(grid_.depth, grid_.height)); }

  /// Counts of the block that this thread solved last; waits for the stream. The kernel writes them to pinned
  /// host memory, because a copy takes longer.
  static object_counts counts(const gpu& on) {
    on.synchronize("cudaStreamSynchronize");
    return *pinned_place<object_counts>();
  }

  template <class Label>
  void write(const view<Label>& out, const row_window& window, const renumbering& numbers = {},
             background zeros = background::written) const;
  template <class Label>
  void write(const view<Label>& out, const renumbering& numbers = {},
             background zeros = background::written) const {
    write(out, row_window{0, grid_.height, 0, grid_.depth}, numbers, zeros);
  }

  /// The plane that read() writes, for callers that fill it themselves: 64 pixels per word, rows of whole
  /// words, and no set bit outside the image.
  std::uint64_t* set_pixels() const { return memory_.planes; }
  const tile_grid& grid() const { return grid_; }

  /// Writes 1 for pixels of objects that contain a start, else 0. For images of one class with full
  /// connectivity. `starts` is a subset of the set pixels.
  void link(const std::uint64_t* starts, const view<std::uint8_t>& out) const;

 private:
  template <class Shape, class Rule, class T>
  void read_image(const Rule& rule, const view<const T>& image) {
    // Waits for all work in the stream: only kernels of this pattern support an early start.
    launch(on_, start::after_all, "label: pixels to parts", read_and_join<Shape, Rule, T>, grid_.tiles,
           inside_threads<Shape>, grid_, layout_of(image), rule, image, memory_);
    joined_inside_ = true;
  }

  void copy_bits(std::uint64_t* to, const std::uint64_t* from) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bits_of(block_)), cudaMemcpyDeviceToDevice,
                          on_.stream),
          "cudaMemcpyAsync");
  }

  const gpu& on_;
  block_shape block_;
  start start_;
  tile_grid grid_;
  device_array<std::byte> bytes_;
  label_memory memory_;
  bool joined_inside_ = false;  // by read()
};

}  // namespace macareu::cuda::labels
