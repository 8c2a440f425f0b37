// The images that operators see in a run in pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <macareu/error.hpp>

#include "core/framed.hpp"
#include "engines/pieces/node.hpp"

namespace macareu::pieces {

template <class T>
class image {
 public:
  using pixel = T;

  image() = default;  // no image
  explicit image(std::shared_ptr<slot> of) : slot_(std::move(of)), whole_(slot_->whole) {}

  const frame& whole() const { return whole_; }
  explicit operator bool() const { return slot_ != nullptr; }
  operator image<const T>() const requires(!std::is_const_v<T>) { return reading(); }
  image<const T> reading() const { return image<const T>(slot_, whole_); }

  template <class U>
  bool is_in_place_of(const image<U>& other) const {
    return slot_ == other.slot_;
  }
  /// The same pixels as another type of the same size.
  template <class To>
  image<To> as() const {
    static_assert(sizeof(To) == sizeof(T));
    return image<To>(slot_, whole_);
  }
  /// A volume with a side of 1 as an image with a frame of its own.
  image without_side(line_axis side) const {
    if (side == line_axis::z) return *this;
    return image(slot_, {1, whole_.depth, side == line_axis::y ? whole_.width : whole_.height, {0, 0, 0}});
  }
  image slices(bool, std::int64_t, std::int64_t) const {
    throw internal_error("pieces: images are not cut by operators");
  }

  node_ptr result() const {
    if (!slot_->result) throw internal_error("pieces: an image is read before it is written");
    return in_shape(slot_->result, whole_);
  }
  void set(node_ptr result) const { slot_->result = in_shape(std::move(result), slot_->whole); }
  const pieces::slot& place() const { return *slot_; }

 private:
  template <class>
  friend class image;
  image(std::shared_ptr<slot> of, const frame& whole) : slot_(std::move(of)), whole_(whole) {}

  static node_ptr in_shape(node_ptr result, const frame& shape) {
    return result->whole == shape ? result : std::make_shared<reshaped>(std::move(result), shape);
  }

  std::shared_ptr<slot> slot_;
  frame whole_;
};

template <class T>
class temporary_image {
 public:
  explicit temporary_image(const frame& whole)
      : slot_(std::make_shared<slot>(
            slot{{whole.depth, whole.height, whole.width, {0, 0, 0}}, sizeof(T), {}})) {}
  pieces::image<T> image() const { return pieces::image<T>(slot_); }
  pieces::image<const T> reading() const { return image().reading(); }

 private:
  std::shared_ptr<slot> slot_;
};

}  // namespace macareu::pieces
