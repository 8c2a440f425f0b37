// An image in memory: pixels and their frame. Crops, casts and overlap tests are members, so operators never
// see a pointer.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "core/frame.hpp"
#include "core/view.hpp"

namespace macareu {

enum class line_axis { z, y, x };

template <class T>
class framed {
 public:
  using pixel = T;

  framed() = default;  // no image
  explicit framed(const view<T>& pixels)
      : framed(pixels, {pixels.depth, pixels.height, pixels.width, {0, 0, 0}}) {}
  framed(const view<T>& pixels, const frame& whole) : pixels_(pixels), whole_(whole) {}

  const view<T>& pixels() const { return pixels_; }
  const frame& whole() const { return whole_; }
  site origin() const { return whole_.origin; }
  explicit operator bool() const { return pixels_.data != nullptr; }

  operator framed<const T>() const requires(!std::is_const_v<T>) { return reading(); }
  framed<const T> reading() const { return {view<const T>(pixels_), whole_}; }

  /// Whether both begin at the same address.
  template <class U>
  bool is_in_place_of(const framed<U>& other) const {
    return static_cast<const void*>(pixels_.data) == static_cast<const void*>(other.pixels().data);
  }

  /// The same pixels as another type of the same size.
  template <class To>
  framed<To> as() const {
    static_assert(sizeof(To) == sizeof(T));
    const auto& p = pixels_;
    return {view<To>{reinterpret_cast<To*>(p.data), p.depth, p.height, p.width, p.step_z, p.step_y, p.step_x},
            whole_};
  }

  /// A crop that keeps its position in the whole image.
  framed part(site first, std::int64_t depth, std::int64_t height, std::int64_t width) const {
    auto pixels = pixels_;
    if (depth * height * width > 0) pixels.data = &pixels_[first];
    pixels.depth = depth, pixels.height = height, pixels.width = width;
    auto whole = whole_;
    whole.origin = whole.origin + first;
    return {pixels, whole};
  }

  /// Slices of a volume or rows of an image, with a frame of their own.
  framed slices(bool volume, std::int64_t first, std::int64_t count) const {
    auto part = pixels_;
    part.data += first * (volume ? part.step_z : part.step_y);
    (volume ? part.depth : part.height) = count;
    return framed(part);
  }

  /// A volume with a side of 1 as an image with a frame of its own. The order of pixels stays.
  framed without_side(line_axis side) const {
    const auto& p = pixels_;
    const auto rows = p.depth, all = rows * p.step_z;
    if (side == line_axis::z) return framed(p);
    if (side == line_axis::y) return framed(view<T>{p.data, 1, rows, p.width, all, p.step_z, p.step_x});
    return framed(view<T>{p.data, 1, rows, p.height, all, p.step_z, p.step_y});
  }

 private:
  view<T> pixels_;
  frame whole_;
};

/// Owns an image in memory of the engine that made it.
template <class T, class Memory>
class temporary_image {
 public:
  temporary_image(Memory memory, const frame& whole) : memory_(std::move(memory)), whole_(whole) {}

  framed<T> image() const { return {memory_.pixels(), whole_}; }
  framed<const T> reading() const { return image().reading(); }

 private:
  Memory memory_;
  frame whole_;
};

}  // namespace macareu
