// ITK images as views of Macareu: same memory, axes in array order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <itkImage.h>

#include <macareu/image.hpp>
#include <macareu/number.hpp>

namespace macareu::itk {

/// Whether an image is one of image.hpp.
template <class TImage>
inline constexpr bool is_lazy = false;

namespace detail {
template <class TImage>
struct layout {
  extents shape;
  strides steps{};
  ::itk::OffsetValueType offset;

  /// ITK counts axes from the one that is contiguous.
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

/// The host's pixels for reading alone, which leaves a lazy image's copy on the GPU valid.
template <class TImage>
const auto* pixels_of(const TImage* image) {
  if constexpr (is_lazy<TImage>)
    return image->PixelsToRead();
  else
    return image->GetBufferPointer();
}

/// The part of an image that is buffered and asked for: all of it, since our filters ask for all.
template <class TImage>
const_image_view view_of(const TImage* image) {
  const detail::layout<TImage> at(*image, image->GetRequestedRegion());
  return {pixels_of(image) + at.offset, dtype_of<typename TImage::PixelType>, at.shape, at.steps};
}

template <class TImage>
image_view view_of(TImage* image) {
  const detail::layout<TImage> at(*image, image->GetRequestedRegion());
  return {image->GetBufferPointer() + at.offset, dtype_of<typename TImage::PixelType>, at.shape, at.steps};
}

/// A vector of ITK in array order.
template <class TVector>
std::vector<number> in_array_order(const TVector& values) {
  std::vector<number> all;
  for (unsigned axis = TVector::Dimension; axis-- > 0;) all.emplace_back(static_cast<double>(values[axis]));
  return all;
}

}  // namespace macareu::itk
