#include "engines/cuda/component/labelling.cuh"

#include "core/ceil_div.hpp"
#include "engines/cuda/component/across_tiles.cuh"
#include "engines/cuda/component/inside_tiles.cuh"
#include "engines/cuda/component/linked.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {
namespace {

/// Places the arrays of a block one after another; without memory it only measures.
class carver {
 public:
  explicit carver(std::byte* memory) : memory_(memory) {}

  template <class T>
  T* take(std::uint64_t count) {
    T* const place = memory_ ? reinterpret_cast<T*>(memory_ + used_) : nullptr;
    used_ += ceil_div(count * sizeof(T), 256) * 256;
    return place;
  }
  std::int64_t used() const { return static_cast<std::int64_t>(used_); }

 private:
  std::byte* memory_;
  std::uint64_t used_ = 0;
};

constexpr std::uint32_t sections_of(const tile_grid& grid) { return ceil_div(grid.words, section_words); }

template <class Shape>
label_memory carve(carver& from, const tile_grid& grid) {
  const std::uint64_t words = grid.words;
  label_memory memory;
  memory.planes = from.take<std::uint64_t>(words * Shape::planes);
  memory.part_firsts = from.take<std::uint64_t>(words);
  memory.firsts = from.take<std::uint64_t>(words);
  memory.parent = from.take<std::uint32_t>(words * Shape::slots);
  memory.run_part = from.take<std::uint16_t>(std::uint64_t{grid.tiles} * Shape::thick_rows * Shape::slots);
  memory.firsts_before = from.take<std::uint16_t>(words);
  memory.sections = from.take<std::uint32_t>(sections_of(grid) + count_each);
  memory.sections_done = from.take<std::uint32_t>(1);
  return memory;
}

tile_grid grid_for(const block_shape& block) {
  return with_shape(block,
                    [&]<class Shape>() { return grid_of<Shape>(block.depth, block.height, block.width); });
}

label_memory memory_for(carver& from, const block_shape& block, const tile_grid& grid) {
  return with_shape(block, [&]<class Shape>() { return carve<Shape>(from, grid); });
}

}  // namespace

bool fits_ids(const block_shape& block) {
  const auto words = block.depth * block.height * ceil_div(block.width, 64);
  return words <= std::int64_t{1} << 26;
}

std::int64_t bytes_for(const block_shape& block) {
  carver measure(nullptr);
  memory_for(measure, block, grid_for(block));
  return measure.used();
}

std::int64_t bits_of(const block_shape& block) {
  const std::int64_t words = grid_for(block).words;
  return with_shape(block, [&]<class Shape>() {
    return words * Shape::planes * static_cast<std::int64_t>(sizeof(std::uint64_t));
  });
}

labelling::labelling(const gpu& on, const block_shape& block)
    : on_(on),
      block_(block),
      start_(earliest_on(on.number)),
      grid_(grid_for(block)),
      bytes_(on, bytes_for(block)) {
  carver from(bytes_.data());
  memory_ = memory_for(from, block, grid_);
  memory_.counts = pinned_place<object_counts>();
}

void labelling::solve(std::int64_t own_slices) const {
  const std::int64_t rows = block_.near.rank == 3 ? own_slices * grid_.height : own_slices;
  const auto end_of_own =
      static_cast<std::uint32_t>(std::min<std::int64_t>(grid_.words, rows * grid_.across));
  with_shape(block_, [&]<class Shape>() {
    if (!joined_inside_)
      launch(on_, start_, "label: inside tiles", join_inside_tiles<Shape>, grid_.tiles, inside_threads<Shape>,
             grid_, memory_);
    launch(on_, start_, "label: across tiles", join_across_tiles<Shape>, across_blocks<Shape>(grid_),
           across_threads<Shape>, grid_, memory_);
    const auto find = [&]<int Sections>() {
      launch(on_, start_, "label: first pixels", find_firsts<Shape, Sections>,
             ceil_div(sections_of(grid_), Sections), section_words, grid_, end_of_own, memory_);
    };
    if constexpr (Shape::deep == 1)
      if (sections_of(grid_) >= tuning::many_sections) return find.template operator()<4>();
    find.template operator()<1>();
  });
}

template <class Label>
void labelling::write(const view<Label>& out, const row_window& window, const renumbering& numbers,
                      background zeros) const {
  with_shape(block_, [&]<class Shape>() {
    const auto layer = static_cast<std::uint32_t>(grid_.down) * grid_.across;
    // Covers whole layers of tiles, or whole rows of tiles where there is only one layer.
    const bool volume = grid_.deep > 1;
    const auto unit = volume ? layer : static_cast<std::uint32_t>(grid_.across);
    const int first = volume ? window.first_z / Shape::depth : window.first_y / Shape::height;
    const int last = volume ? (window.end_z - 1) / Shape::depth : (window.end_y - 1) / Shape::height;
    launch(on_, start_, "label: write", write_labels<Shape, Label>,
           unit * static_cast<std::uint32_t>(last - first + 1), write_threads<Shape>, grid_, memory_,
           unit * static_cast<std::uint32_t>(first), numbers, window, zeros,
           has_aligned_groups(out, static_cast<int>(16 / sizeof(Label))), out);
  });
}

void labelling::link(const std::uint64_t* starts, const view<std::uint8_t>& out) const {
  using shape = full_image;
  const kept_roots kept{reinterpret_cast<std::uint32_t*>(memory_.firsts)};
  check(cudaMemsetAsync(kept.bits, 0, grid_.words * sizeof(std::uint32_t), on_.stream), "cudaMemsetAsync");
  const auto thick_words = static_cast<std::uint64_t>(ceil_div(grid_.height, shape::rows_y)) * grid_.across;
  const auto blocks = [](std::uint64_t threads) {
    return static_cast<std::uint32_t>(ceil_div(threads, linked_threads));
  };
  launch(on_, start_, "link: inside tiles", join_inside_tiles<shape>, grid_.tiles, inside_threads<shape>,
         grid_, memory_);
  launch(on_, start_, "link: across tiles", join_across_tiles<shape>, across_blocks<shape>(grid_),
         across_threads<shape>, grid_, memory_);
  launch(on_, start_, "link: starts", keep_started<shape>, blocks(2 * thick_words), linked_threads, grid_,
         memory_, starts, kept);
  launch(on_, start_, "link: write", write_kept<shape>, blocks(2 * thick_words), linked_threads, grid_,
         memory_, kept, has_aligned_groups(out, 16), out);
}

template void labelling::write(const view<std::uint32_t>&, const row_window&, const renumbering&,
                               background) const;
template void labelling::write(const view<std::uint64_t>&, const row_window&, const renumbering&,
                               background) const;

}  // namespace macareu::cuda::labels
