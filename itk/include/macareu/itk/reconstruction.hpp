// Reconstruction by dilation and erosion, and what ITK defines through it.
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

  void Compute() override {
    this->template RunConverted<typename TInputImage::PixelType>(
        "reconstruct", {{"by", "dilation"}, {"connectivity", this->Neighbours()}}, this->GetMarkerImage(),
        this->GetMaskImage());
  }
};

template <class TInputImage, class TOutputImage>
class ReconstructionByErosionImageFilter
    : public Filter<::itk::ReconstructionByErosionImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(ReconstructionByErosionImageFilter)

  void Compute() override {
    this->template RunConverted<typename TInputImage::PixelType>(
        "reconstruct", {{"by", "erosion"}, {"connectivity", this->Neighbours()}}, this->GetMarkerImage(),
        this->GetMaskImage());
  }
};

template <class TInputImage, class TOutputImage>
class GrayscaleFillholeImageFilter
    : public Filter<::itk::GrayscaleFillholeImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(GrayscaleFillholeImageFilter)

  void Compute() override {
    this->template RunConverted<typename TInputImage::PixelType>(
        "fill_holes", {{"connectivity", this->Neighbours()}}, this->GetInput());
  }
};

/// The grey image: ITK's h-maxima are our hmax.
template <class TInputImage, class TOutputImage>
class HMaximaImageFilter : public Filter<::itk::HMaximaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(HMaximaImageFilter)

  void Compute() override {
    this->template RunConverted<typename TInputImage::PixelType>(
        "hmax", {{"h", number(this->GetHeight())}, {"connectivity", this->Neighbours()}}, this->GetInput());
  }
};

template <class TInputImage, class TOutputImage>
class HMinimaImageFilter : public Filter<::itk::HMinimaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(HMinimaImageFilter)

  void Compute() override {
    this->template RunConverted<typename TInputImage::PixelType>(
        "hmin", {{"h", number(this->GetHeight())}, {"connectivity", this->Neighbours()}}, this->GetInput());
  }
};

}  // namespace macareu::itk
