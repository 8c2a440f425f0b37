// The watershed from markers. By name alone: labels may differ from those of ITK's filter where neighbours
// tie, so no factory substitutes it.
#pragma once

#include <itkMorphologicalWatershedFromMarkersImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// Setters and defaults of ITK's class. What Macareu refuses is not left to ITK's code, whose labels differ.
template <class TInputImage, class TLabelImage>
class WatershedSettings
    : public ::itk::MorphologicalWatershedFromMarkersImageFilter<TInputImage, TLabelImage> {
 public:
  using SettingsOnly = void;
};

/// Basins of the input, with the labels of the markers. With MarkWatershedLine, of two touching basins the
/// pixels of the greater label are the line.
template <class TInputImage, class TLabelImage>
class MorphologicalWatershedFromMarkersImageFilter
    : public Filter<WatershedSettings<TInputImage, TLabelImage>> {
  MACAREU_ITK_FILTER(MorphologicalWatershedFromMarkersImageFilter)

  void Compute(workplace& at) override {
    this->RunConverted(
        at, "watershed", {this->Input(at, this->GetInput()), this->Input(at, this->GetMarkerImage())},
        dtype::u32, {{"connectivity", this->Neighbours()}, {"lines", this->GetMarkWatershedLine()}});
  }
};

}  // namespace macareu::itk
