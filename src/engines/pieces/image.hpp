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

/// An image without its pixel type, so that most code is compiled once. Its copies are too: inlined, their
/// reference counts are a good part of what operators in pieces compile to.
class any_image {
 public:
  any_image();  // no image
  explicit any_image(std::shared_ptr<slot> of);
  any_image(std::shared_ptr<slot> of, const frame& whole);
  any_image(const any_image& other);
  any_image& operator=(const any_image& other);
  ~any_image();

  const frame& whole() const { return whole_; }
  explicit operator bool() const { return slot_ != nullptr; }
  bool is_in_place_of(const any_image& other) const { return slot_ == other.slot_; }

  node_ptr result() const;
  void set(node_ptr result) const;
  const std::shared_ptr<slot>& place() const { return slot_; }

 protected:
  any_image reshaped_without(line_axis side) const;

 private:
  std::shared_ptr<slot> slot_;
  frame whole_;
};

template <class T>
class image : public any_image {
 public:
  using pixel = T;

  image() = default;
  explicit image(const any_image& of) : any_image(of) {}

  operator image<const T>() const requires(!std::is_const_v<T>) { return reading(); }
  image<const T> reading() const { return image<const T>(static_cast<const any_image&>(*this)); }
  /// The same pixels as another type of the same size.
  template <class To>
  image<To> as() const {
    static_assert(sizeof(To) == sizeof(T));
    return image<To>(static_cast<const any_image&>(*this));
  }
  /// A volume with a side of 1 as an image with a frame of its own.
  image without_side(line_axis side) const { return image(reshaped_without(side)); }
  image slices(bool, std::int64_t, std::int64_t) const {
    throw internal_error("pieces: images are not cut by operators");
  }
};

any_image new_image(const frame& like, std::size_t pixel_bytes);

template <class T>
class temporary_image {
 public:
  explicit temporary_image(const frame& like) : image_(new_image(like, sizeof(T))) {}
  pieces::image<T> image() const { return pieces::image<T>(image_); }
  pieces::image<const T> reading() const { return pieces::image<const T>(image_); }

 private:
  any_image image_;
};

}  // namespace macareu::pieces
