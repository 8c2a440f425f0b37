// Distance maps with Maurer's conventions.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <itkImageToImageFilter.h>
#include <itkSignedMaurerDistanceMapImageFilter.h>

#include <macareu/itk/as_itk.hpp>
#include <macareu/itk/filter.hpp>

namespace macareu::itk {

template <class TStock>
class DistanceFilter : public Filter<TStock> {
 protected:
  using Pixel = typename TStock::OutputImageType::PixelType;

  /// ITK's result if there is nothing to measure to.
  Pixel Nowhere() const {
    constexpr auto most = std::numeric_limits<Pixel>::max();
    return this->GetSquaredDistance() ? most : static_cast<Pixel>(std::sqrt(static_cast<double>(most)));
  }

  /// Distances to the nearest zero pixel of `sites`.
  temporary Measure(const workplace& at, const temporary& sites) const {
    const auto spacing =
        this->GetUseImageSpacing() ? in_array_order(this->GetInput()->GetSpacing()) : std::vector<number>{1};
    arguments given{{"squared", this->GetSquaredDistance()}, {"spacing", spacing}, {"invert", true}};
    if (!this->GetSquaredDistance()) given.emplace("type", sizeof(Pixel) == 8 ? "f64" : "f32");
    const auto type =
        output_type(*find_operator("distance_transform"), 0, sites.type(), sites.shape(), given);
    auto distances = at.room_for(type, sites.shape());
    at.run("distance_transform", {sites}, distances, given);
    return distances;
  }

  /// The output, of distances that are `negative` inside of objects, outside or nowhere. `sign_nowhere`: so
  /// are those that are none.
  void Write(workplace& at, const temporary& distances, const temporary& objects, const char* negative,
             bool sign_nowhere) {
    const arguments given{
        {"nowhere", number(Nowhere())}, {"negative", negative}, {"sign_nowhere", sign_nowhere}};
    const auto type = distances.type() == dtype::f32 ? dtype::f32 : dtype::f64;
    const auto out = this->Output(at);
    if (out.type() == type) return at.apply("signed_distance", {distances, objects}, out, given);
    auto found = at.room_for(type, out.shape());
    at.apply("signed_distance", {distances, objects}, found, given);
    at.convert(found, out);
  }
};

inline namespace MACAREU_ITK_FUSED_AS {
template <class TInputImage, class TOutputImage>
class SignedMaurerDistanceMapImageFilter
    : public DistanceFilter<::itk::SignedMaurerDistanceMapImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(SignedMaurerDistanceMapImageFilter)

  void Compute(workplace& at) override {
    const auto image = this->Input(at, this->GetInput());
    const auto background = this->GetBackgroundValue();
    const auto objects = at.between(image, background, background, true);
    auto contour = at.room_for(dtype::boolean, image.shape());
    at.apply("contour", {objects}, contour);
    if constexpr (std::is_floating_point_v<typename TOutputImage::PixelType>)
      if (at.as_itk()) return AsItk(contour, objects, this->Output(at));
    // Without any contour ITK gives squares no sign.
    this->Write(at, this->Measure(at, contour), objects, this->GetInsideIsPositive() ? "outside" : "inside",
                !this->GetSquaredDistance());
  }

 private:
  void AsItk(const const_image_view& contour, const const_image_view& objects, const image_view& out) {
    std::vector<double> spacing(TOutputImage::ImageDimension, 1.0);
    if (this->GetUseImageSpacing())
      std::reverse_copy(this->GetInput()->GetSpacing().begin(), this->GetInput()->GetSpacing().end(),
                        spacing.begin());
    measure_as_itk<typename TOutputImage::PixelType>(
        *this, contour, objects, spacing, {this->GetSquaredDistance(), this->GetInsideIsPositive()}, out);
  }
};
}  // namespace MACAREU_ITK_FUSED_AS

/// The setters of Maurer's filter that apply to unsigned distances.
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

/// 0 on objects, elsewhere the distance to the nearest object pixel: the outside of Maurer's map. ITK has no
/// exact class of this kind.
template <class TInputImage, class TOutputImage>
class UnsignedMaurerDistanceMapImageFilter
    : public DistanceFilter<DistanceMapSettings<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(UnsignedMaurerDistanceMapImageFilter)

 public:
  const char* GetNameOfClass() const override { return "UnsignedMaurerDistanceMapImageFilter"; }

 protected:
  void Compute(workplace& at) override {
    const auto background = this->GetBackgroundValue();
    const auto objects = at.between(this->Input(at, this->GetInput()), background, background, true);
    this->Write(at, this->Measure(at, objects), objects, "none", false);
  }
};

}  // namespace macareu::itk
