// Filters with binary results: regional extrema, filled binary images, double thresholds.
#pragma once

#include <itkBinaryFillholeImageFilter.h>
#include <itkDoubleThresholdImageFilter.h>
#include <itkRegionalMaximaImageFilter.h>
#include <itkRegionalMinimaImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// A constant image has no extrema in Macareu; in ITK, FlatIsMaxima and FlatIsMinima decide.
template <class TStock>
class RegionalExtremaFilter : public Filter<TStock> {
 protected:
  void Mark(workplace& at, std::string_view name, bool flat_is_extremum) {
    const auto image = this->Input(at, this->GetInput());
    auto marks = at.room_for(dtype::boolean, image.shape());
    at.run(name, {image}, marks, {{"connectivity", this->Neighbours()}});
    const auto inside = this->GetForegroundValue(), outside = this->GetBackgroundValue();
    const bool all = flat_is_extremum && IsEmpty(at.tabulate("statistics", marks));
    at.choose(marks, inside, all ? inside : outside, this->Output(at));
  }

 private:
  static bool IsEmpty(const table& of_mask) {
    return of_mask.rows() == 0 || of_mask["maximum"][0].to_double() == 0;
  }
};

template <class TInputImage, class TOutputImage>
class RegionalMaximaImageFilter
    : public RegionalExtremaFilter<::itk::RegionalMaximaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(RegionalMaximaImageFilter)

  void Compute(workplace& at) override { this->Mark(at, "maxima", this->GetFlatIsMaxima()); }
};

template <class TInputImage, class TOutputImage>
class RegionalMinimaImageFilter
    : public RegionalExtremaFilter<::itk::RegionalMinimaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(RegionalMinimaImageFilter)

  void Compute(workplace& at) override { this->Mark(at, "minima", this->GetFlatIsMinima()); }
};

/// Holes are background pixels not connected to the border. Other pixels are unchanged.
template <class TInputImage>
class BinaryFillholeImageFilter : public Filter<::itk::BinaryFillholeImageFilter<TInputImage>> {
  MACAREU_ITK_FILTER(BinaryFillholeImageFilter)

  void Compute(workplace& at) override {
    const auto inside = this->GetForegroundValue();
    const auto image = this->Input(at, this->GetInput());
    const auto objects = at.between(image, inside, inside);
    auto filled = at.room_for(dtype::boolean, image.shape());
    at.run("fill_holes", {objects}, filled, {{"connectivity", this->Neighbours()}});
    at.apply("fill", {image, filled}, this->Output(at), {{"value", number(inside)}});
  }
};

/// Reconstructs the interval Threshold2 to Threshold3 inside Threshold1 to Threshold4.
template <class TInputImage, class TOutputImage>
class DoubleThresholdImageFilter
    : public Filter<::itk::DoubleThresholdImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(DoubleThresholdImageFilter)

  void Compute(workplace& at) override {
    const auto inside = this->GetInsideValue(), outside = this->GetOutsideValue();
    if (!(outside < inside)) throw usage_error("InsideValue must be greater than OutsideValue");
    if (this->GetThreshold2() > this->GetThreshold3() || this->GetThreshold1() > this->GetThreshold4())
      throw usage_error("Lower threshold cannot be greater than upper threshold.");
    const auto image = this->Input(at, this->GetInput());
    const auto narrow = at.between(image, this->GetThreshold2(), this->GetThreshold3());
    const auto wide = at.between(image, this->GetThreshold1(), this->GetThreshold4());
    auto grown = at.room_for(dtype::boolean, image.shape());
    at.run("reconstruct", {narrow, wide}, grown, {{"connectivity", this->Neighbours()}});
    at.choose(grown, inside, outside, this->Output(at));
  }
};

}  // namespace macareu::itk
