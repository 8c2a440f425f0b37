// Smoothing and gradients as ITK defines them.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include <itkDiscreteGaussianImageFilter.h>
#include <itkGaussianOperator.h>
#include <itkSobelEdgeDetectionImageFilter.h>
#include <itkSobelOperator.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// One sum along each axis, in f64 as ITK; the weights are those of ITK's operator.
template <class TInputImage, class TOutputImage>
class DiscreteGaussianImageFilter
    : public Filter<::itk::DiscreteGaussianImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(DiscreteGaussianImageFilter)

  void Compute(workplace& at) override {
    constexpr unsigned rank = TInputImage::ImageDimension;
    if (this->GetFilterDimensionality() < rank) throw usage_error("smoothing along some axes only");
    using stock = ::itk::DiscreteGaussianImageFilter<TInputImage, TOutputImage>;
    if (!dynamic_cast<const typename stock::InputDefaultBoundaryConditionType*>(
            this->GetInputBoundaryCondition()) ||
        !dynamic_cast<const typename stock::RealDefaultBoundaryConditionType*>(
            this->GetRealBoundaryCondition()))
      throw usage_error("a border other than ITK's default");
    auto source = this->Input(at, this->GetInput());
    temporary smooth;
    for (unsigned done = 0; done < rank; ++done) {
      auto next = at.room_for(dtype::f64, source.shape());
      at.run("convolve", {source, Weights(rank - 1 - done)}, next, {{"border", "nearest"}, {"type", "f64"}},
             {double(done) / rank, double(done + 1) / rank});
      smooth = std::move(next);
      source = smooth;
    }
    at.apply(pixelwise::convert{}, {smooth}, this->Output(at));
  }

 private:
  image Weights(unsigned axis) {
    constexpr unsigned rank = TInputImage::ImageDimension;
    const double size = this->GetUseImageSpacing() ? this->GetInput()->GetSpacing()[axis] : 1.0;
    ::itk::GaussianOperator<double, rank> gaussian;
    gaussian.SetDirection(axis);
    gaussian.SetVariance(this->GetVariance()[axis] / (size * size));
    gaussian.SetMaximumError(this->GetMaximumError()[axis]);
    gaussian.SetMaximumKernelWidth(this->GetMaximumKernelWidth());
    gaussian.CreateDirectional();
    std::array<std::int64_t, rank> shape;
    shape.fill(1);
    shape[rank - 1 - axis] = static_cast<std::int64_t>(gaussian.Size());
    image weights(dtype::f64, extents(shape));
    std::copy(gaussian.Begin(), gaussian.End(), weights.pixels<double>().begin());
    return weights;
  }
};

/// The length of the gradient. In volumes the weights are ITK's: (1 3 1; 3 6 3; 1 3 1), and from ITK 6 on
/// Sobel's (1 2 1; 2 4 2; 1 2 1) where UseLegacyOperatorCoefficients is off.
template <class TInputImage, class TOutputImage>
class SobelEdgeDetectionImageFilter
    : public Filter<::itk::SobelEdgeDetectionImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(SobelEdgeDetectionImageFilter)

  void Compute(workplace& at) override {
    if (!std::is_floating_point_v<typename TOutputImage::PixelType>)
      throw usage_error("ITK computes in the output's type, which has no fractions");
    const auto source = this->Input(at, this->GetInput());
    if constexpr (TInputImage::ImageDimension == 2) {
      const arguments given{{"border", "nearest"}};
      const auto gradient = output_type(*find_operator("sobel"), 0, source.type(), source.shape(), given);
      this->RunConverted(at, "sobel", {source}, gradient, given);
    } else {
      Volumes(at, source);
    }
  }

 private:
  void Volumes(workplace& at, const const_image_view& source) {
    temporary along[3];
    for (unsigned axis = 0; axis < 3; ++axis) {
      ::itk::SobelOperator<double, TInputImage::ImageDimension> sobel;
      sobel.SetDirection(axis);
      if constexpr (requires { this->GetUseLegacyOperatorCoefficients(); })
        sobel.UseLegacyCoefficients(this->GetUseLegacyOperatorCoefficients());
      sobel.CreateDirectional();
      image weights(dtype::f64, extents{3, 3, 3});
      std::copy(sobel.Begin(), sobel.End(), weights.pixels<double>().begin());
      along[axis] = at.room_for(dtype::f64, source.shape());
      at.run("convolve", {source, weights}, along[axis], {{"border", "nearest"}, {"type", "f64"}},
             {axis / 3.0, (axis + 1) / 3.0});
    }
    at.apply(pixelwise::length{}, {along[0], along[1], along[2]}, this->Output(at));
  }
};

}  // namespace macareu::itk
