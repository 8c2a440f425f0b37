// Smoothing and gradients as ITK defines them.
#pragma once

#include <cmath>
#include <type_traits>

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

  void Compute() override {
    using pixel = typename TOutputImage::PixelType;
    constexpr unsigned rank = TInputImage::ImageDimension;
    if (this->GetFilterDimensionality() < rank) throw usage_error("smoothing along some axes only");
    using stock = ::itk::DiscreteGaussianImageFilter<TInputImage, TOutputImage>;
    if (!dynamic_cast<const typename stock::InputDefaultBoundaryConditionType*>(
            this->GetInputBoundaryCondition()) ||
        !dynamic_cast<const typename stock::RealDefaultBoundaryConditionType*>(
            this->GetRealBoundaryCondition()))
      throw usage_error("a border other than ITK's default");
    const auto source = view_of(this->GetInput());
    image smooth, next;
    for (unsigned done = 0; done < rank; ++done) {
      next = image(dtype::f64, source.shape());
      this->Run("convolve", {done == 0 ? source : const_image_view(smooth), Weights(rank - 1 - done)}, next,
                {{"border", "nearest"}, {"type", "f64"}}, {double(done) / rank, double(done + 1) / rank});
      std::swap(smooth, next);
    }
    this->template Fill<double>(smooth, [](double value) { return static_cast<pixel>(value); });
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

  void Compute() override {
    using from = typename TInputImage::PixelType;
    using to = typename TOutputImage::PixelType;
    if (!std::is_floating_point_v<to>)
      throw usage_error("ITK computes in the output's type, which has no fractions");
    if constexpr (TInputImage::ImageDimension == 2) {
      using gradient = std::conditional_t<(sizeof(from) <= 2 || std::is_same_v<from, float>), float, double>;
      this->template RunConverted<gradient>("sobel", {{"border", "nearest"}}, this->GetInput());
    } else {
      Volumes();
    }
  }

 private:
  void Volumes() {
    using pixel = typename TOutputImage::PixelType;
    const auto source = view_of(this->GetInput());
    image along[3];
    for (unsigned axis = 0; axis < 3; ++axis) {
      ::itk::SobelOperator<double, TInputImage::ImageDimension> sobel;
      sobel.SetDirection(axis);
      if constexpr (requires { this->GetUseLegacyOperatorCoefficients(); })
        sobel.UseLegacyCoefficients(this->GetUseLegacyOperatorCoefficients());
      sobel.CreateDirectional();
      image weights(dtype::f64, extents{3, 3, 3});
      std::copy(sobel.Begin(), sobel.End(), weights.pixels<double>().begin());
      along[axis] = image(dtype::f64, source.shape());
      this->Run("convolve", {source, weights}, along[axis], {{"border", "nearest"}, {"type", "f64"}},
                {axis / 3.0, (axis + 1) / 3.0});
    }
    const auto x = along[0].pixels<double>(), y = along[1].pixels<double>(), z = along[2].pixels<double>();
    auto* to = this->GetOutput()->GetBufferPointer();
    in_parallel(*this, static_cast<std::int64_t>(x.size()), [&](std::int64_t first, std::int64_t last) {
      for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
        to[i] = static_cast<pixel>(std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]));
    });
  }
};

}  // namespace macareu::itk
