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

/// One sum along each axis, the slowest first. As in ITK it is in f64, and what comes out of each axis is of
/// the output's type: integers lose their fractions every time. The weights are those of ITK's operator.
template <class TInputImage, class TOutputImage>
class DiscreteGaussianImageFilter
    : public LocalFilter<::itk::DiscreteGaussianImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(DiscreteGaussianImageFilter)

  void ComputePiece(workplace& at, const_image_view source, image_view out) override {
    constexpr unsigned rank = TInputImage::ImageDimension;
    if (this->GetFilterDimensionality() < rank) throw usage_error("smoothing along some axes only");
    using stock = ::itk::DiscreteGaussianImageFilter<TInputImage, TOutputImage>;
    if (!dynamic_cast<const typename stock::InputDefaultBoundaryConditionType*>(
            this->GetInputBoundaryCondition()) ||
        !dynamic_cast<const typename stock::RealDefaultBoundaryConditionType*>(
            this->GetRealBoundaryCondition()))
      throw usage_error("a border other than ITK's default");
    auto room = at.room_for(dtype::f64, source.shape());
    const image_view sums = room;
    for (unsigned done = 0; done < rank; ++done) {
      // No axis is computed in place. Where sums are what is asked for, those of the last axis go to `out`.
      const bool is_f64 = out.type() == dtype::f64, to_out = is_f64 && (rank - done) % 2 == 1;
      const auto to = to_out ? out : sums;
      at.run("convolve", {source, Weights(rank - 1 - done)}, to, {{"border", "nearest"}, {"type", "f64"}},
             {double(done) / rank, double(done + 1) / rank});
      if (!is_f64) at.apply(pixelwise::convert{}, {sums}, out);
      source = is_f64 ? to : out;
    }
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
    : public LocalFilter<::itk::SobelEdgeDetectionImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(SobelEdgeDetectionImageFilter)

  void ComputePiece(workplace& at, const_image_view source, image_view out) override {
    if (!std::is_floating_point_v<typename TOutputImage::PixelType>)
      throw usage_error("ITK computes in the output's type, which has no fractions");
    if constexpr (TInputImage::ImageDimension == 2) {
      const arguments given{{"border", "nearest"}};
      const auto gradient = output_type(*find_operator("sobel"), 0, source.type(), source.shape(), given);
      this->RunConverted(at, "sobel", {source}, gradient, given, out);
    } else {
      Volumes(at, source, out);
    }
  }

 private:
  void Volumes(workplace& at, const const_image_view& source, const image_view& out) {
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
    at.apply(pixelwise::length{}, {along[0], along[1], along[2]}, out);
  }
};

}  // namespace macareu::itk
