// ITK images as views of Macareu: the same memory, axes in array order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <itkImage.h>

#include <macareu/image.hpp>
#include <macareu/number.hpp>

namespace macareu::itk {

/// The interface of lazy images (image.hpp), independent of their type. Its functions throw device_error, so
/// that filters can fall back to the host.
class lazy_pixels {
 public:
  /// Whether only the GPU has the newest pixels.
  virtual bool IsOnDevice() const = 0;
  /// The GPU's copy, brought up to date.
  virtual const_image_view DeviceView() const = 0;
  /// The GPU's copy, to be overwritten as a whole. It is valid from DeviceWasWritten() on.
  virtual image_view DeviceOutput() = 0;
  virtual void DeviceWasWritten() = 0;
  /// The host's copy, brought up to date, for reading only.
  virtual const void* HostPixels() const = 0;

 protected:
  ~lazy_pixels() = default;
};

inline const lazy_pixels* as_lazy(const ::itk::DataObject* image) {
  return dynamic_cast<const lazy_pixels*>(image);
}
inline lazy_pixels* as_lazy(::itk::DataObject* image) { return dynamic_cast<lazy_pixels*>(image); }

namespace detail {
template <class TImage>
struct layout {
  extents shape;
  strides steps{};
  ::itk::OffsetValueType offset;

  /// ITK's axes start with the contiguous one.
  layout(const TImage& image, const typename TImage::RegionType& region)
      : offset(image.ComputeOffset(region.GetIndex())) {
    constexpr int rank = TImage::ImageDimension;
    std::array<std::int64_t, rank> sizes;
    for (int axis = 0; axis < rank; ++axis) {
      sizes[rank - 1 - axis] = static_cast<std::int64_t>(region.GetSize(axis));
      steps[rank - 1 - axis] = image.GetOffsetTable()[axis];
    }
    shape = extents(sizes);
  }
};
}  // namespace detail

/// The host's pixels for reading only. A lazy image's copy on the GPU stays valid.
template <class TImage>
const auto* pixels_of(const TImage* image) {
  const auto* lazy = as_lazy(image);
  return lazy ? static_cast<const typename TImage::PixelType*>(lazy->HostPixels())
              : image->GetBufferPointer();
}

/// A part of the buffered region.
template <class TImage>
const_image_view view_of(const TImage* image, const typename TImage::RegionType& region) {
  const detail::layout<TImage> at(*image, region);
  return {pixels_of(image) + at.offset, dtype_of<typename TImage::PixelType>, at.shape, at.steps};
}

/// The requested region.
template <class TImage>
const_image_view view_of(const TImage* image) {
  return view_of(image, image->GetRequestedRegion());
}

template <class TImage>
image_view view_of(TImage* image) {
  const detail::layout<TImage> at(*image, image->GetRequestedRegion());
  return {image->GetBufferPointer() + at.offset, dtype_of<typename TImage::PixelType>, at.shape, at.steps};
}

/// An ITK vector in array order.
template <class TVector>
std::vector<number> in_array_order(const TVector& values) {
  std::vector<number> all;
  for (unsigned axis = TVector::Dimension; axis-- > 0;) all.emplace_back(static_cast<double>(values[axis]));
  return all;
}

}  // namespace macareu::itk
