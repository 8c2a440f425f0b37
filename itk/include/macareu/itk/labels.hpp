// Connected components, and relabelling by size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <itkConnectedComponentImageFilter.h>
#include <itkRelabelComponentImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// Objects are numbered in the raster order of their first pixels, as in ITK. BackgroundValue is skipped.
template <class TInputImage, class TOutputImage, class TMaskImage = TInputImage>
class ConnectedComponentImageFilter
    : public Filter<::itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>> {
  using Stock = ::itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
  MACAREU_ITK_FILTER(ConnectedComponentImageFilter)

  void Compute(workplace& at) override {
    using pixel = typename TOutputImage::PixelType;
    own_ = false;
    auto source = this->Input(at, this->GetInput());
    const arguments given{{"connectivity", this->Neighbours()}};
    if (output_type(*find_operator("label"), 0, source.type(), source.shape(), given) != dtype::u32)
      throw usage_error("the image has too many pixels for 32-bit labels");
    temporary objects;
    if (this->GetMaskImage()) {
      objects = Masked(at, source);
      source = objects;
    }
    auto labels = at.room_for(dtype::u32, source.shape());
    const auto report = at.run("label", {source}, labels, given, {0, 0.9});
    count_ = static_cast<::itk::IdentifierType>(report.count);
    own_ = true;
    if (static_cast<double>(count_) > static_cast<double>(std::numeric_limits<pixel>::max()))
      throw_as_itk(*this, "Number of objects (" + std::to_string(count_) +
                              ") greater than maximum of output pixel type");
    at.apply(pixelwise::leave_out{this->GetBackgroundValue()}, {labels}, this->Output(at));
  }

 public:
  const ::itk::IdentifierType& GetObjectCount() const override {
    return own_ ? count_ : Stock::GetObjectCount();
  }

 private:
  temporary Masked(workplace& at, const const_image_view& source) {
    const auto* mask = this->GetMaskImage();
    if (mask->GetBufferedRegion() != this->GetInput()->GetBufferedRegion())
      throw usage_error("the mask and the image have different buffered regions");
    const pixelwise::mark_others set{0};
    const auto objects = this->Marked(at, set, source), open = this->Marked(at, set, this->Input(at, mask));
    auto both = at.room_for(dtype::boolean, source.shape());
    at.apply(pixelwise::mark_both{}, {objects, open}, both);
    return both;
  }

  bool own_ = false;  ///< whether the last labels are Macareu's, not ITK's
  ::itk::IdentifierType count_ = 0;
};

/// Renumbers objects by size (the largest is 1) or by label, and drops small ones. ITK's functions for object
/// sizes are not virtual, so a pointer to ITK's class does not return ours.
template <class TInputImage, class TOutputImage>
class RelabelComponentImageFilter
    : public Filter<::itk::RelabelComponentImageFilter<TInputImage, TOutputImage>> {
  using Stock = ::itk::RelabelComponentImageFilter<TInputImage, TOutputImage>;
  MACAREU_ITK_FILTER(RelabelComponentImageFilter)

 public:
  using SizeValueType = ::itk::SizeValueType;
  using LabelType = typename TInputImage::PixelType;

  SizeValueType GetNumberOfObjects() const override {
    return own_ ? sizes_.size() : Stock::GetNumberOfObjects();
  }
  SizeValueType GetOriginalNumberOfObjects() const override {
    return own_ ? original_ : Stock::GetOriginalNumberOfObjects();
  }
  const std::vector<SizeValueType>& GetSizeOfObjectsInPixels() const {
    return own_ ? sizes_ : Stock::GetSizeOfObjectsInPixels();
  }
  const std::vector<float>& GetSizeOfObjectsInPhysicalUnits() const {
    return own_ ? physical_sizes_ : Stock::GetSizeOfObjectsInPhysicalUnits();
  }
  SizeValueType GetSizeOfObjectInPixels(LabelType label) const {
    return own_ ? SizeOf(label, sizes_) : Stock::GetSizeOfObjectInPixels(label);
  }
  float GetSizeOfObjectInPhysicalUnits(LabelType label) const {
    return own_ ? SizeOf(label, physical_sizes_) : Stock::GetSizeOfObjectInPhysicalUnits(label);
  }

 protected:
  void Compute(workplace& at) override {
    using pixel = typename TOutputImage::PixelType;
    own_ = false;
    const auto labels = this->Input(at, this->GetInput());
    const auto counts = at.sizes_of_objects(labels);
    std::vector<std::size_t> kept;
    original_ = 0;
    for (std::size_t label = 1; label < counts.size(); ++label) {
      if (counts[label] == 0) continue;
      ++original_;
      if (counts[label] >= this->GetMinimumObjectSize()) kept.push_back(label);
    }
    if (this->GetSortByObjectSize())
      std::stable_sort(kept.begin(), kept.end(), [&](auto a, auto b) { return counts[a] > counts[b]; });
    if (static_cast<double>(kept.size()) > static_cast<double>(std::numeric_limits<pixel>::max()))
      throw_as_itk(*this,
                   "Output voxel range exceeded for relabeling.  Too many objects of sufficient size found!");
    pixelwise::rename anew{std::vector<std::uint64_t>(counts.size(), 0)};
    sizes_.clear();
    for (const auto label : kept) {
      sizes_.push_back(counts[label]);
      anew.names[label] = sizes_.size();
    }
    float unit = 1;
    for (const double length : this->GetInput()->GetSpacing()) unit = static_cast<float>(unit * length);
    physical_sizes_.clear();
    for (const auto size : sizes_) physical_sizes_.push_back(static_cast<float>(size) * unit);
    own_ = true;
    at.apply(anew, {labels}, this->Output(at));
  }

 private:
  /// 0 for the background and for unused labels.
  template <class TSize>
  static TSize SizeOf(LabelType label, const std::vector<TSize>& sizes) {
    const auto number = static_cast<std::size_t>(label);
    return label > 0 && number <= sizes.size() ? sizes[number - 1] : TSize{};
  }

  bool own_ = false;  ///< whether the last numbers are ours, not ITK's
  SizeValueType original_ = 0;
  std::vector<SizeValueType> sizes_;
  std::vector<float> physical_sizes_;
};

}  // namespace macareu::itk
