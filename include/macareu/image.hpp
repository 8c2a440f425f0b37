// Images with a pixel type known at run time: owning `image`, and views with any stride.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace macareu {

enum class dtype : std::uint8_t { boolean, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

std::size_t size_of(dtype type);
/// bool, i8, u8, ... f64
std::string_view name_of(dtype type);
std::optional<dtype> dtype_named(std::string_view name);

namespace detail {
template <class T>
constexpr dtype dtype_for() {
  using U = std::remove_cv_t<T>;
  static_assert(std::is_arithmetic_v<U> && sizeof(U) <= 8, "not a pixel type");
  if constexpr (std::is_same_v<U, bool>)
    return dtype::boolean;
  else if constexpr (std::is_floating_point_v<U>)
    return sizeof(U) == 4 ? dtype::f32 : dtype::f64;
  else {
    constexpr bool s = std::is_signed_v<U>;
    return sizeof(U) == 1   ? (s ? dtype::i8 : dtype::u8)
           : sizeof(U) == 2 ? (s ? dtype::i16 : dtype::u16)
           : sizeof(U) == 4 ? (s ? dtype::i32 : dtype::u32)
                            : (s ? dtype::i64 : dtype::u64);
  }
}
}  // namespace detail

/// The pixel type of a C++ arithmetic type.
template <class T>
inline constexpr dtype dtype_of = detail::dtype_for<T>();

/// The shape of an image in array order: {rows, columns} or {slices, rows, columns}. Sizes may be 0.
class extents {
 public:
  extents() = default;
  /// Throws usage_error unless there are 2 or 3 sizes, none negative, whose product fits 62 bits.
  extents(std::initializer_list<std::int64_t> sizes);
  explicit extents(std::span<const std::int64_t> sizes);

  int rank() const { return rank_; }
  std::int64_t operator[](int axis) const { return size_[axis]; }
  std::int64_t pixels() const;
  bool operator==(const extents&) const = default;

  std::int64_t depth() const { return rank_ == 3 ? size_[0] : 1; }
  std::int64_t height() const { return size_[rank_ - 2]; }
  std::int64_t width() const { return size_[rank_ - 1]; }

 private:
  int rank_ = 2;
  std::array<std::int64_t, 3> size_{};
};

/// "480 x 640" or "64 x 480 x 640"
std::string to_string(const extents& shape);

/// Distance between neighbours along each axis, in elements (not bytes), in the order of the shape.
using strides = std::array<std::int64_t, 3>;

/// C order without gaps, for pixels of `channels` interleaved values.
strides contiguous_strides(const extents& shape, int channels = 1);

namespace detail {
template <class Pointer>
class basic_image_view {
 public:
  constexpr basic_image_view(Pointer data, dtype type, extents shape, strides steps, int channels = 1,
                             std::int64_t channel_stride = 1)
      : data_(data),
        type_(type),
        channels_(channels),
        shape_(shape),
        strides_(steps),
        channel_stride_(channel_stride) {}

  template <class T>
  requires std::is_arithmetic_v<T> && std::is_convertible_v<T*, Pointer> basic_image_view(T* data,
                                                                                          extents shape)
      : basic_image_view(data, dtype_of<T>, shape, contiguous_strides(shape)) {}
  template <class T>
  requires std::is_arithmetic_v<T> && std::is_convertible_v<T*, Pointer> basic_image_view(T* data,
                                                                                          extents shape,
                                                                                          strides steps)
      : basic_image_view(data, dtype_of<T>, shape, steps) {}

  /// A view that may write converts to one that may not.
  operator basic_image_view<const void*>() const {
    return {data_, type_, shape_, strides_, channels_, channel_stride_};
  }

  Pointer data() const { return data_; }
  dtype type() const { return type_; }
  const extents& shape() const { return shape_; }
  /// In elements, in the order of the shape.
  const strides& steps() const { return strides_; }
  /// Values per pixel: 1 for grey.
  int channels() const { return channels_; }
  std::int64_t channel_stride() const { return channel_stride_; }

  /// One channel as a grey view on the same memory.
  basic_image_view channel(int index) const {
    using byte =
        std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
    auto* first =
        static_cast<byte*>(data_) + index * channel_stride_ * static_cast<std::int64_t>(size_of(type_));
    return {first, type_, shape_, strides_};
  }

 private:
  Pointer data_;
  dtype type_;
  int channels_;
  extents shape_;
  strides strides_;
  std::int64_t channel_stride_;
};
}  // namespace detail

using image_view = detail::basic_image_view<void*>;
using const_image_view = detail::basic_image_view<const void*>;

/// An image that owns its pixels, in C order, 64-byte aligned. Fresh pixels are not initialised.
class image {
 public:
  image() = default;
  /// Throws usage_error if the size overflows, and std::bad_alloc if allocation fails.
  image(dtype type, extents shape, int channels = 1);

  dtype type() const { return type_; }
  const extents& shape() const { return shape_; }
  int channels() const { return channels_; }
  std::size_t bytes() const;

  void* data() { return data_.get(); }
  const void* data() const { return data_.get(); }
  /// Throws usage_error if T is not the image's pixel type.
  template <class T>
  std::span<T> pixels() {
    require(dtype_of<T>);
    return {static_cast<T*>(data()), count()};
  }
  template <class T>
  std::span<const T> pixels() const {
    require(dtype_of<T>);
    return {static_cast<const T*>(data()), count()};
  }

  operator image_view() { return {data(), type_, shape_, contiguous_strides(shape_, channels_), channels_}; }
  operator const_image_view() const {
    return {data(), type_, shape_, contiguous_strides(shape_, channels_), channels_};
  }

 private:
  struct release {
    void operator()(std::byte* data) const;
  };
  void require(dtype type) const;
  std::size_t count() const { return static_cast<std::size_t>(shape_.pixels()) * channels_; }

  dtype type_ = dtype::u8;
  int channels_ = 1;
  extents shape_;
  std::unique_ptr<std::byte[], release> data_;
};

/// A copy in C order of any view.
image copy_of(const const_image_view& view);

}  // namespace macareu
