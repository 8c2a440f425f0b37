// Images in awkward memory: gaps, reversed and exchanged axes, an offset.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include <macareu/image.hpp>

#include "support/dice.hpp"

namespace macareu::test {

/// Visits every pixel in raster order with its offset in elements.
template <class Visit>
void for_each_offset(const extents& shape, const strides& steps, Visit visit) {
  const int last = shape.rank() - 1;
  const auto slice = shape.rank() == 3 ? steps[0] : 0;
  for (std::int64_t z = 0; z < shape.depth(); ++z)
    for (std::int64_t y = 0; y < shape.height(); ++y)
      for (std::int64_t x = 0; x < shape.width(); ++x)
        visit(z * slice + y * steps[static_cast<std::size_t>(last - 1)] +
              x * steps[static_cast<std::size_t>(last)]);
}

/// Owns a view with random steps of either sign in random axis order, and knows whether anything but its
/// pixels was written.
class strided_image {
 public:
  strided_image(dice& from, dtype type, const extents& shape) {
    std::array<int, 3> order{0, 1, 2};
    const int rank = shape.rank();
    for (int i = rank - 1; i > 0; --i)
      std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(from.below(i + 1))]);
    strides steps{};
    std::int64_t reach = 1;
    first_ = from.between(0, 5);
    for (int i = 0; i < rank; ++i) {
      const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
      const auto size = shape[static_cast<int>(axis)];
      const auto step = reach * from.between(1, 2) + from.between(0, 2);
      const bool reversed = from.once_in(2);
      steps[axis] = reversed ? -step : step;
      if (size > 0 && reversed) first_ += step * (size - 1);
      if (size > 0) reach += step * (size - 1);
    }
    size_ = size_of(type);
    storage_.resize((static_cast<std::size_t>(reach + 12) * size_ + 15) / 8);
    for (auto& word : storage_) word = from.next();
    view_ = image_view(bytes() + first_ * static_cast<std::int64_t>(size_), type, shape, steps);
    snapshot_ = storage_;
  }

  const image_view& view() const { return view_; }
  operator const_image_view() const { return view_; }

  /// Takes the pixels of an image of the same shape and type.
  void assign(const const_image_view& contiguous) {
    const auto* source = static_cast<const std::byte*>(contiguous.data());
    for_each_offset(view_.shape(), view_.steps(), [&](std::int64_t offset) {
      std::memcpy(bytes() + (first_ + offset) * static_cast<std::int64_t>(size_), source, size_);
      source += size_;
    });
    snapshot_ = storage_;
  }

  /// Are the gaps between the pixels as they were when the image was made or assigned?
  bool gaps_untouched() const {
    auto expected = snapshot_;
    for_each_offset(view_.shape(), view_.steps(), [&](std::int64_t offset) {
      const auto byte = (first_ + offset) * static_cast<std::int64_t>(size_);
      std::memcpy(reinterpret_cast<std::byte*>(expected.data()) + byte,
                  reinterpret_cast<const std::byte*>(storage_.data()) + byte, size_);
    });
    return expected == storage_;
  }

 private:
  std::byte* bytes() { return reinterpret_cast<std::byte*>(storage_.data()); }

  std::size_t size_ = 1;
  std::int64_t first_ = 0;  // where the first pixel is, in elements
  std::vector<std::uint64_t> storage_, snapshot_;
  image_view view_{static_cast<void*>(nullptr), dtype::u8, extents{0, 0}, strides{}};
};

}  // namespace macareu::test
