// Filters whose result has two values: regional extrema, filled binary images, two thresholds.
#pragma once

#include <algorithm>

#include <itkBinaryFillholeImageFilter.h>
#include <itkDoubleThresholdImageFilter.h>
#include <itkRegionalMaximaImageFilter.h>
#include <itkRegionalMinimaImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// An image of one value has no extrema here, and is one or none for ITK, as FlatIs... says.
template <class TStock>
class RegionalExtremaFilter : public Filter<TStock> {
 protected:
  void Mark(std::string_view name, bool flat_is_extremum) {
    image marks(dtype::boolean, view_of(this->GetInput()).shape());
    this->Run(name, {view_of(this->GetInput())}, marks, {{"connectivity", this->Neighbours()}});
    const auto inside = this->GetForegroundValue(), outside = this->GetBackgroundValue();
    const auto all = marks.template pixels<bool>();
    const bool flat = std::find(all.begin(), all.end(), true) == all.end();
    const auto where_none = flat && flat_is_extremum ? inside : outside;
    this->template Fill<bool>(marks, [=](bool set) { return set ? inside : where_none; });
  }
};

template <class TInputImage, class TOutputImage>
class RegionalMaximaImageFilter
    : public RegionalExtremaFilter<::itk::RegionalMaximaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(RegionalMaximaImageFilter)

  void Compute() override { this->Mark("maxima", this->GetFlatIsMaxima()); }
};

template <class TInputImage, class TOutputImage>
class RegionalMinimaImageFilter
    : public RegionalExtremaFilter<::itk::RegionalMinimaImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(RegionalMinimaImageFilter)

  void Compute() override { this->Mark("minima", this->GetFlatIsMinima()); }
};

/// Holes are background that the border does not reach; other pixels stay as they are.
template <class TInputImage>
class BinaryFillholeImageFilter : public Filter<::itk::BinaryFillholeImageFilter<TInputImage>> {
  MACAREU_ITK_FILTER(BinaryFillholeImageFilter)

  void Compute() override {
    const auto inside = this->GetForegroundValue();
    const auto given = this->GetInput();
    auto objects = this->Where([=](auto value) { return value == inside; });
    image filled(dtype::boolean, objects.shape());
    this->Run("fill_holes", {objects}, filled, {{"connectivity", this->Neighbours()}});
    const auto* from = pixels_of(given);
    const auto set = filled.template pixels<bool>();
    auto* to = this->GetOutput()->GetBufferPointer();
    in_parallel(*this, static_cast<std::int64_t>(set.size()), [&](std::int64_t first, std::int64_t last) {
      for (auto i = first; i < last; ++i) to[i] = set[static_cast<std::size_t>(i)] ? inside : from[i];
    });
  }
};

/// Threshold2 to Threshold3, grown inside of Threshold1 to Threshold4.
template <class TInputImage, class TOutputImage>
class DoubleThresholdImageFilter
    : public Filter<::itk::DoubleThresholdImageFilter<TInputImage, TOutputImage>> {
  MACAREU_ITK_FILTER(DoubleThresholdImageFilter)

  void Compute() override {
    const auto between = [this](auto low, auto high) {
      return this->Where([=](auto value) { return low <= value && value <= high; });
    };
    const auto inside = this->GetInsideValue(), outside = this->GetOutsideValue();
    if (!(outside < inside)) throw usage_error("the inside value must be above the outside value");
    if (this->GetThreshold2() > this->GetThreshold3() || this->GetThreshold1() > this->GetThreshold4())
      throw usage_error("Lower threshold cannot be greater than upper threshold.");
    const auto narrow = between(this->GetThreshold2(), this->GetThreshold3());
    const auto wide = between(this->GetThreshold1(), this->GetThreshold4());
    image grown(dtype::boolean, wide.shape());
    this->Run("reconstruct", {narrow, wide}, grown, {{"connectivity", this->Neighbours()}});
    this->template Fill<bool>(grown, [=](bool set) { return set ? inside : outside; });
  }
};

}  // namespace macareu::itk
