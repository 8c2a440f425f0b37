// Reconstruction by dilation and erosion, and the filters that ITK derives from it.
#pragma once

#include <itkGrayscaleFillholeImageFilter.h>
#include <itkHMaximaImageFilter.h>
#include <itkHMinimaImageFilter.h>
#include <itkReconstructionByDilationImageFilter.h>
#include <itkReconstructionByErosionImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

template <class TInputImage, class TOutputImage>
class ReconstructionByDilationImageFilter
    : public Filter<::itk::ReconstructionByDilationImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(ReconstructionByDilationImageFilter)

  void Compute(workplace& at) override {
    const auto marker = this->Input(at, this->GetMarkerImage()), mask = this->Input(at, this->GetMaskImage());
    this->RunConverted(at, "reconstruct", {marker, mask}, marker.type(),
                       {{"by", "dilation"}, {"connectivity", this->Neighbours()}});
  }
};

template <class TInputImage, class TOutputImage>
class ReconstructionByErosionImageFilter
    : public Filter<::itk::ReconstructionByErosionImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(ReconstructionByErosionImageFilter)

  void Compute(workplace& at) override {
    const auto marker = this->Input(at, this->GetMarkerImage()), mask = this->Input(at, this->GetMaskImage());
    this->RunConverted(at, "reconstruct", {marker, mask}, marker.type(),
                       {{"by", "erosion"}, {"connectivity", this->Neighbours()}});
  }
};

template <class TInputImage, class TOutputImage>
class GrayscaleFillholeImageFilter
    : public Filter<::itk::GrayscaleFillholeImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(GrayscaleFillholeImageFilter)

  void Compute(workplace& at) override {
    const auto image = this->Input(at, this->GetInput());
    this->RunConverted(at, "fill_holes", {image}, image.type(), {{"connectivity", this->Neighbours()}});
  }
};

/// The grey image: ITK's h-maxima are the operator hmax.
template <class TInputImage, class TOutputImage>
class HMaximaImageFilter : public Filter<::itk::HMaximaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(HMaximaImageFilter)

  void Compute(workplace& at) override {
    const auto image = this->Input(at, this->GetInput());
    this->RunConverted(at, "hmax", {image}, image.type(),
                       {{"h", number(this->GetHeight())}, {"connectivity", this->Neighbours()}});
  }
};

template <class TInputImage, class TOutputImage>
class HMinimaImageFilter : public Filter<::itk::HMinimaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(HMinimaImageFilter)

  void Compute(workplace& at) override {
    const auto image = this->Input(at, this->GetInput());
    this->RunConverted(at, "hmin", {image}, image.type(),
                       {{"h", number(this->GetHeight())}, {"connectivity", this->Neighbours()}});
  }
};

}  // namespace macareu::itk
