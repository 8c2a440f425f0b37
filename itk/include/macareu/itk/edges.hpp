// Smoothing and gradients as ITK defines them.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include <itkDiscreteGaussianImageFilter.h>
#include <itkGaussianOperator.h>
#include <itkSobelEdgeDetectionImageFilter.h>

#include <macareu/itk/as_itk.hpp>
#include <macareu/itk/filter.hpp>

namespace macareu::itk {

inline namespace MACAREU_ITK_FUSED_AS {
/// Convolves along each axis, the slowest first, with ITK's weights. As in ITK, sums are f64, and each axis
/// is converted to the output's type, so integers are truncated every time. Unless the user named a device,
/// the compiler may contract sums as it does in ITK (as_itk.hpp).
template <class TInputImage, class TOutputImage>
class DiscreteGaussianImageFilter
    : public LocalFilter<::itk::DiscreteGaussianImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(DiscreteGaussianImageFilter)

  void ComputePiece(workplace& at, const_image_view source, image_view out) override {
    constexpr unsigned rank = TInputImage::ImageDimension;
    if (this->GetFilterDimensionality() < rank) throw usage_error("FilterDimensionality must cover all axes");
    using stock = ::itk::DiscreteGaussianImageFilter<TInputImage, TOutputImage>;
    if (!dynamic_cast<const typename stock::InputDefaultBoundaryConditionType*>(
            this->GetInputBoundaryCondition()) ||
        !dynamic_cast<const typename stock::RealDefaultBoundaryConditionType*>(
            this->GetRealBoundaryCondition()))
      throw usage_error("only ITK's default boundary conditions are supported");
    if (at.as_itk()) return AsItk(at, source, out);
    auto room = at.room_for(dtype::f64, source.shape());
    const image_view sums = room;
    for (unsigned done = 0; done < rank; ++done) {
      // No axis is computed in place. For f64 output the sums of the last axis go directly to `out`.
      const bool is_f64 = out.type() == dtype::f64, to_out = is_f64 && (rank - done) % 2 == 1;
      const auto to = to_out ? out : sums;
      const auto weights = Weights(rank - 1 - done);
      std::array<std::int64_t, rank> shape;
      shape.fill(1);
      shape[done] = static_cast<std::int64_t>(weights.size());
      at.run("convolve", {source, const_image_view(weights.data(), extents(shape))}, to,
             {{"border", "nearest"}, {"type", "f64"}}, {double(done) / rank, double(done + 1) / rank});
      if (!is_f64) at.convert(sums, out);
      source = is_f64 ? to : out;
    }
  }

 private:
  using From = typename TInputImage::PixelType;
  using To = typename TOutputImage::PixelType;

  void AsItk(const workplace& at, const const_image_view& source, const image_view& out) {
    constexpr unsigned rank = TInputImage::ImageDimension;
    auto between = at.room_for(dtype_of<To>, source.shape());
    const auto target = [&](unsigned done) -> image_view {
      return (rank - done) % 2 == 1 ? out : image_view(between);
    };
    const auto part = [](unsigned done) { return step{double(done) / rank, double(done + 1) / rank}; };
    smooth_axis<From, To>(*this, part(0), 0, Weights(rank - 1), source, target(0));
    for (unsigned done = 1; done < rank; ++done)
      smooth_axis<To, To>(*this, part(done), static_cast<int>(done), Weights(rank - 1 - done),
                          target(done - 1), target(done));
  }

  std::vector<double> Weights(unsigned axis) {
    const double size = this->GetUseImageSpacing() ? this->GetInput()->GetSpacing()[axis] : 1.0;
    ::itk::GaussianOperator<double, TInputImage::ImageDimension> gaussian;
    gaussian.SetDirection(axis);
    gaussian.SetVariance(this->GetVariance()[axis] / (size * size));
    gaussian.SetMaximumError(this->GetMaximumError()[axis]);
    gaussian.SetMaximumKernelWidth(this->GetMaximumKernelWidth());
    gaussian.CreateDirectional();
    return {gaussian.Begin(), gaussian.End()};
  }
};
}  // namespace MACAREU_ITK_FUSED_AS

/// The length of the gradient. In volumes the weights are ITK's: (1 3 1; 3 6 3; 1 3 1), and from ITK 6 on
/// Sobel's (1 2 1; 2 4 2; 1 2 1) where UseLegacyOperatorCoefficients is off.
template <class TInputImage, class TOutputImage>
class SobelEdgeDetectionImageFilter
    : public LocalFilter<::itk::SobelEdgeDetectionImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(SobelEdgeDetectionImageFilter)

  void ComputePiece(workplace& at, const_image_view source, image_view out) override {
    using from = typename TInputImage::PixelType;
    using to = typename TOutputImage::PixelType;
    if (!std::is_floating_point_v<to>) throw usage_error("Sobel needs an output of type float or double");
    // Sums of small integers are exact in f32: every Sobel has the same roundings.
    constexpr bool is_exact = std::is_integral_v<from> && sizeof(from) <= 2 && std::is_same_v<to, float>;
    if (is_exact && TInputImage::ImageDimension == 2)
      return static_cast<void>(at.run("sobel", {source}, out, {{"border", "nearest"}}));
    constexpr auto type = std::is_same_v<from, float> && std::is_same_v<to, float> ? dtype::f32 : dtype::f64;
    temporary converted;
    if (source.type() != type) {
      converted = at.room_for(type, source.shape());
      at.convert(source, converted);
      source = converted;
    }
    arguments given{{"single", std::is_same_v<to, float>}};
    if constexpr (requires { this->GetUseLegacyOperatorCoefficients(); })
      given.emplace("legacy", bool(this->GetUseLegacyOperatorCoefficients()));
    this->RunConverted(at, "sobel_itk", {source}, type, given, out);
  }
};

}  // namespace macareu::itk
