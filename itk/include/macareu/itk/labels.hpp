// Connected components, and their numbers by size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <itkConnectedComponentImageFilter.h>
#include <itkRelabelComponentImageFilter.h>

#include <macareu/itk/filter.hpp>

namespace macareu::itk {

/// Objects are numbered in the raster order of their first pixels, as ITK does; numbers leave out
/// BackgroundValue.
template <class TInputImage, class TOutputImage, class TMaskImage = TInputImage>
class ConnectedComponentImageFilter
    : public Filter<::itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>> {
  using Stock = ::itk::ConnectedComponentImageFilter<TInputImage, TOutputImage, TMaskImage>;
  MACAREU_ITK_FILTER(ConnectedComponentImageFilter)

  void Compute() override {
    using pixel = typename TOutputImage::PixelType;
    own_ = false;
    const auto* about = find_operator("label");
    const auto input = view_of(this->GetInput());
    const arguments given{{"connectivity", this->Neighbours()}};
    if (output_type(*about, 0, input.type(), input.shape(), given) != dtype::u32)
      throw usage_error("more pixels than labels of 32 bits");
    image objects, labels(dtype::u32, input.shape());
    if (this->GetMaskImage()) objects = Masked();
    const auto report =
        this->Run("label", {this->GetMaskImage() ? const_image_view(objects) : input}, labels, given);
    count_ = static_cast<::itk::IdentifierType>(report.count);
    own_ = true;
    if (static_cast<double>(count_) > static_cast<double>(std::numeric_limits<pixel>::max()))
      throw_as_itk(*this, "Number of objects (" + std::to_string(count_) +
                              ") greater than maximum of output pixel type");
    const auto background = this->GetBackgroundValue();
    this->template Fill<std::uint32_t>(labels, [=](std::uint32_t label) {
      if (label == 0) return background;
      const auto number = static_cast<pixel>(label - 1);
      return background >= 0 && number >= background ? static_cast<pixel>(label) : number;
    });
  }

 public:
  const ::itk::IdentifierType& GetObjectCount() const override {
    return own_ ? count_ : Stock::GetObjectCount();
  }

 private:
  image Masked() {
    const auto* mask = this->GetMaskImage();
    if (mask->GetBufferedRegion() != this->GetInput()->GetBufferedRegion())
      throw usage_error("mask and image have different regions");
    const auto* open = pixels_of(mask);
    image objects = this->Where([](auto value) { return value != 0; });
    const auto set = objects.template pixels<bool>();
    for (std::size_t i = 0; i < set.size(); ++i) set[i] = set[i] && open[i] != 0;
    return objects;
  }

  bool own_ = false;  ///< whether the last labels are Macareu's, not ITK's
  ::itk::IdentifierType count_ = 0;
};

/// Numbers objects anew: the largest is 1 (or in the order of their labels), small ones are dropped. ITK's
/// functions that tell the sizes of objects are not virtual: a pointer to ITK's class does not know ours.
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
  bool IsOwn() const { return own_; }

  void Compute() override {
    using pixel = typename TOutputImage::PixelType;
    own_ = false;
    const auto counts = Count();
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
    std::vector<pixel> renamed(counts.size(), 0);
    sizes_.clear();
    for (const auto label : kept) {
      sizes_.push_back(counts[label]);
      renamed[label] = static_cast<pixel>(sizes_.size());
    }
    float unit = 1;
    for (const double length : this->GetInput()->GetSpacing()) unit = static_cast<float>(unit * length);
    physical_sizes_.clear();
    for (const auto size : sizes_) physical_sizes_.push_back(static_cast<float>(size) * unit);
    own_ = true;
    const auto* from = pixels_of(this->GetInput());
    auto* to = this->GetOutput()->GetBufferPointer();
    in_parallel(*this, Pixels(), [&](std::int64_t first, std::int64_t last) {
      for (auto i = first; i < last; ++i) to[i] = renamed[static_cast<std::size_t>(from[i])];
    });
  }

 private:
  std::int64_t Pixels() const {
    return static_cast<std::int64_t>(this->GetInput()->GetBufferedRegion().GetNumberOfPixels());
  }

  /// 0 for the background and for labels that no object has.
  template <class TSize>
  static TSize SizeOf(LabelType label, const std::vector<TSize>& sizes) {
    const auto number = static_cast<std::size_t>(label);
    return label > 0 && number <= sizes.size() ? sizes[number - 1] : TSize{};
  }

  /// Of every label. Labels far above the number of pixels, and negative ones, are left to ITK's maps.
  std::vector<SizeValueType> Count() {
    const auto* from = pixels_of(this->GetInput());
    const auto pixels = Pixels();
    if (this->GetInput()->GetBufferedRegion() != this->GetInput()->GetRequestedRegion() || pixels == 0)
      throw usage_error("the buffer holds more than the image");
    const auto [least, most] = std::minmax_element(from, from + pixels);
    if (*least < 0 || static_cast<double>(*most) > static_cast<double>(pixels) + 65536)
      throw usage_error("labels are negative, or much larger than the number of pixels");
    std::vector<SizeValueType> counts(static_cast<std::size_t>(*most) + 1, 0);
    for (std::int64_t i = 0; i < pixels;) {
      const auto first = i;
      while (i < pixels && from[i] == from[first]) ++i;
      counts[static_cast<std::size_t>(from[first])] += static_cast<SizeValueType>(i - first);
    }
    return counts;
  }

  bool own_ = false;  ///< whether the last numbers are ours, not ITK's
  SizeValueType original_ = 0;
  std::vector<SizeValueType> sizes_;
  std::vector<float> physical_sizes_;
};

}  // namespace macareu::itk
