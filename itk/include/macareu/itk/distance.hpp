// Distance maps with Maurer's conventions.
#pragma once

#include <cmath>
#include <limits>

#include <itkImageToImageFilter.h>
#include <itkSignedMaurerDistanceMapImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// Zero on the pixels of objects that have a neighbour outside (all neighbours count), set elsewhere: what
/// Maurer's filter measures distances to.
image away_from_contour(::itk::ProcessObject& filter, const image& objects);

template <class TStock>
class DistanceFilter : public Filter<TStock> {
 protected:
  using Pixel = typename TStock::OutputImageType::PixelType;

  /// What ITK leaves where there is nothing to measure to.
  Pixel Nowhere() const {
    constexpr auto most = std::numeric_limits<Pixel>::max();
    return this->GetSquaredDistance() ? most : static_cast<Pixel>(std::sqrt(static_cast<double>(most)));
  }

  /// `deliver(i, distance)` for every pixel: that to the nearest zero pixel of `sites`, infinity without any.
  template <class Deliver>
  void Measure(const image& sites, const Deliver& deliver) {
    const auto spacing =
        this->GetUseImageSpacing() ? in_array_order(this->GetInput()->GetSpacing()) : std::vector<number>{1};
    const arguments given{{"squared", this->GetSquaredDistance()},
                          {"spacing", spacing},
                          {"type", sizeof(Pixel) == 8 ? "f64" : "f32"}};
    const auto type =
        output_type(*find_operator("distance_transform"), 0, sites.type(), sites.shape(), given);
    image distances(type, sites.shape());
    this->Run("distance_transform", {sites}, distances, given);
    const auto hand_over = [&]<class T>(std::span<const T> values) {
      in_parallel(*this, static_cast<std::int64_t>(values.size()),
                  [&](std::int64_t first, std::int64_t last) {
                    for (auto i = first; i < last; ++i) {
                      const T value = values[static_cast<std::size_t>(i)];
                      const bool none = value >= std::numeric_limits<T>::max();
                      deliver(i, none ? std::numeric_limits<double>::infinity() : static_cast<double>(value));
                    }
                  });
    };
    const image& result = distances;
    if (type == dtype::u32)
      hand_over(result.pixels<std::uint32_t>());
    else if (type == dtype::u64)
      hand_over(result.pixels<std::uint64_t>());
    else if (type == dtype::f32)
      hand_over(result.pixels<float>());
    else
      hand_over(result.pixels<double>());
  }
};

template <class TInputImage, class TOutputImage>
class SignedMaurerDistanceMapImageFilter
    : public DistanceFilter<::itk::SignedMaurerDistanceMapImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(SignedMaurerDistanceMapImageFilter)

  void Compute() override {
    const auto background = this->GetBackgroundValue();
    const image objects = this->Where([=](auto value) { return value != background; });
    const auto inside = objects.pixels<bool>();
    const bool squared = this->GetSquaredDistance(), positive = this->GetInsideIsPositive();
    const auto nowhere = this->Nowhere();
    auto* to = this->GetOutput()->GetBufferPointer();
    this->Measure(away_from_contour(*this, objects), [=](std::int64_t i, double distance) {
      const bool none = std::isinf(distance);
      const auto size = none ? nowhere : static_cast<typename TOutputImage::PixelType>(distance);
      // Without any contour ITK gives squares no sign.
      to[i] = inside[static_cast<std::size_t>(i)] == positive || (none && squared) ? size : -size;
    });
  }
};

/// The setters of Maurer's filter that have a meaning without a sign.
template <class TInputImage, class TOutputImage>
class DistanceMapSettings : public ::itk::ImageToImageFilter<TInputImage, TOutputImage> {
 public:
  using Self = DistanceMapSettings;
  using Superclass = ::itk::ImageToImageFilter<TInputImage, TOutputImage>;
  using InputImageType = TInputImage;
  using OutputImageType = TOutputImage;
  using InputPixelType = typename TInputImage::PixelType;
  using SettingsOnly = void;

  MACAREU_ITK_SETTING(SquaredDistance, bool)
  MACAREU_ITK_SETTING(UseImageSpacing, bool)
  MACAREU_ITK_SETTING(BackgroundValue, InputPixelType)
  void SquaredDistanceOn() { SetSquaredDistance(true); }
  void SquaredDistanceOff() { SetSquaredDistance(false); }
  void UseImageSpacingOn() { SetUseImageSpacing(true); }
  void UseImageSpacingOff() { SetUseImageSpacing(false); }

 private:
  InputPixelType m_BackgroundValue{};
  bool m_SquaredDistance = false;
  bool m_UseImageSpacing = true;
};

/// 0 on objects, elsewhere the distance to the nearest pixel of one: the outside of Maurer's map. ITK has no
/// class of this kind that is exact.
template <class TInputImage, class TOutputImage>
class UnsignedMaurerDistanceMapImageFilter
    : public DistanceFilter<DistanceMapSettings<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(UnsignedMaurerDistanceMapImageFilter)

 public:
  const char* GetNameOfClass() const override { return "UnsignedMaurerDistanceMapImageFilter"; }

 protected:
  void Compute() override {
    const auto background = this->GetBackgroundValue();
    const auto nowhere = this->Nowhere();
    auto* to = this->GetOutput()->GetBufferPointer();
    this->Measure(
        this->Where([=](auto value) { return value == background; }), [=](std::int64_t i, double distance) {
          to[i] = std::isinf(distance) ? nowhere : static_cast<typename TOutputImage::PixelType>(distance);
        });
  }
};

}  // namespace macareu::itk
