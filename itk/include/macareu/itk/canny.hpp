// Canny edge detection.
#pragma once

#include <type_traits>

#include <itkFixedArray.h>
#include <itkImageToImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// The setters of ITK's filter, which cannot be a base class because its destructor is private.
template <class TInputImage, class TOutputImage>
class CannySettings : public ::itk::ImageToImageFilter<TInputImage, TOutputImage> {
 public:
  using Self = CannySettings;
  using Superclass = ::itk::ImageToImageFilter<TInputImage, TOutputImage>;
  using InputImageType = TInputImage;
  using OutputImageType = TOutputImage;
  using OutputImagePixelType = typename TOutputImage::PixelType;
  using ArrayType = ::itk::FixedArray<double, TInputImage::ImageDimension>;
  using SettingsOnly = void;

  MACAREU_ITK_SETTING(Variance, ArrayType)
  MACAREU_ITK_SETTING(MaximumError, ArrayType)
  MACAREU_ITK_SETTING(UpperThreshold, OutputImagePixelType)
  MACAREU_ITK_SETTING(LowerThreshold, OutputImagePixelType)
  void SetVariance(double all) { SetVariance(ArrayType(all)); }
  void SetMaximumError(double all) { SetMaximumError(ArrayType(all)); }

 private:
  ArrayType m_Variance{0.0};
  ArrayType m_MaximumError{0.01};
  OutputImagePixelType m_UpperThreshold{};
  OutputImagePixelType m_LowerThreshold{};
};

/// `TSettings` is CannySettings, or ITK's class in files compiled with -fno-access-control.
template <class TSettings>
class CannyFilter : public Filter<TSettings> {
 protected:
  void Compute(workplace& at) override {
    using from = typename TSettings::InputImageType::PixelType;
    using to = typename TSettings::OutputImageType::PixelType;
    // ITK has one type for both images and computes in it. If they differ here, the output's type is used, as
    // if the input had been cast. The library computes in the input's type.
    constexpr bool converts =
        std::is_floating_point_v<to> && std::is_same_v<from, double> != std::is_same_v<to, double>;
    const auto* input = this->GetInput();
    auto source = this->Input(at, input);
    temporary converted;
    if (converts) {
      converted = at.room_for(dtype_of<to>, source.shape());
      at.convert(source, converted);
      source = converted;
    }
    auto variance = this->GetVariance();
    for (unsigned axis = 0; axis < variance.Size(); ++axis)  // ITK's variance is in units of the spacing
      variance[axis] /= input->GetSpacing()[axis] * input->GetSpacing()[axis];
    this->RunMask(at, "canny", source,
                  {{"flavour", "itk"},
                   {"variance", in_array_order(variance)},
                   {"maximum_error", in_array_order(this->GetMaximumError())},
                   {"low", number(this->GetLowerThreshold())},
                   {"high", number(this->GetUpperThreshold())}});
  }
};

template <class TInputImage, class TOutputImage>
class CannyEdgeDetectionImageFilter : public CannyFilter<CannySettings<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(CannyEdgeDetectionImageFilter)

 public:
  const char* GetNameOfClass() const override { return "CannyEdgeDetectionImageFilter"; }
};

}  // namespace macareu::itk
