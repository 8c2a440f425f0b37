#include "engines/cuda/component/labelling.cuh"

#include "core/ceil_div.hpp"
#include "engines/cuda/component/across_tiles.cuh"
#include "engines/cuda/component/inside_tiles.cuh"
#include "engines/cuda/component/linked.cuh"
#include "engines/cuda/tuning.hpp"

namespace macareu::cuda::labels {
namespace {

/// Places the arrays of an image one after another; without memory it only measures.
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

tile_grid grid_for(const labelled_form& image) {
  return with_shape(image,
                    [&]<class Shape>() { return grid_of<Shape>(image.depth, image.height, image.width); });
}

label_memory memory_for(carver& from, const labelled_form& image, const tile_grid& grid) {
  return with_shape(image, [&]<class Shape>() { return carve<Shape>(from, grid); });
}

/// Device memory beside pixels and labels.
std::int64_t bytes_for(const labelled_form& image) {
  carver measure(nullptr);
  memory_for(measure, image, grid_for(image));
  return measure.used();
}

}  // namespace

labelling::labelling(const gpu& on, const labelled_form& image)
    : on_(on),
      form_(image),
      start_(earliest_on(on.number)),
      grid_(grid_for(image)),
      bytes_(on, bytes_for(image)) {
  carver from(bytes_.data());
  memory_ = memory_for(from, image, grid_);
  memory_.count = pinned_place<object_count>();
}

void labelling::solve() const {
  with_shape(form_, [&]<class Shape>() {
    if (!joined_inside_)
      launch(on_, start_, "label: inside tiles", join_inside_tiles<Shape>, grid_.tiles, inside_threads<Shape>,
             grid_, memory_);
    launch(on_, start_, "label: across tiles", join_across_tiles<Shape>, across_blocks<Shape>(grid_),
           across_threads<Shape>, grid_, memory_);
    const auto find = [&]<int Sections>() {
      launch(on_, start_, "label: first pixels", find_firsts<Shape, Sections>,
             ceil_div(sections_of(grid_), Sections), section_words, grid_, memory_);
    };
    if constexpr (Shape::deep == 1)
      if (sections_of(grid_) >= tuning::many_sections)
        return find.template operator()<tuning::sections_of_a_block>();
    find.template operator()<1>();
  });
}

template <class Label>
void labelling::write(const view<Label>& out, background zeros) const {
  with_shape(form_, [&]<class Shape>() {
    launch(on_, start_, "label: write", write_labels<Shape, Label>, grid_.tiles, write_threads<Shape>, grid_,
           memory_, zeros, has_aligned_groups(out, static_cast<int>(16 / sizeof(Label))), out);
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

template void labelling::write(const view<std::uint32_t>&, background) const;
template void labelling::write(const view<std::uint64_t>&, background) const;

}  // namespace macareu::cuda::labels
