// Connected components, and relabelling by size.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <variant>
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
    const auto out = this->Output(at);
    const bool direct = out.type() == dtype::u32 && this->GetBackgroundValue() == 0;
    temporary room;
    if (!direct) room = at.room_for(dtype::u32, source.shape());
    const image_view labels = direct ? out : image_view(room);
    const auto report = at.run("label", {source}, labels, given, {0, 0.9});
    count_ = static_cast<::itk::IdentifierType>(report.count);
    own_ = true;
    if (static_cast<double>(count_) > static_cast<double>(std::numeric_limits<pixel>::max()))
      throw_as_itk(*this, "Number of objects (" + std::to_string(count_) +
                              ") greater than maximum of output pixel type");
    if (this->GetBackgroundValue() != 0)
      LeaveOut(at, this->GetBackgroundValue(), labels, out);
    else if (!direct)
      at.convert(labels, out);
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
    const auto closed = at.between(this->Input(at, mask), 0, 0);
    auto open = at.room_for(source.type(), source.shape());
    at.apply("fill", {source, closed}, open, {{"value", number(0)}});
    return open;
  }

  /// Objects are numbered from 0, and by numbers that are not the background's.
  void LeaveOut(const workplace& at, typename TOutputImage::PixelType background, const image_view& labels,
                const image_view& out) const {
    const auto outside = at.between(labels, 0, 0);
    const auto below = background > 0 ? std::ceil(static_cast<double>(background)) : 0x1p32;
    auto one = at.room_for(dtype::u32, labels.shape());
    at.apply("binary_threshold", {labels}, one,
             {{"low", number(1)}, {"high", number(below)}, {"type", "u32"}});
    at.apply("subtract", {labels, one}, labels);
    at.convert(labels, out);
    at.apply("fill", {out, outside}, out, {{"value", number(background)}});
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
    if (std::is_signed_v<LabelType> && HasNegative(at.tabulate("statistics", labels)))
      throw usage_error("labels are negative");
    const auto found = at.tabulate("measure", labels, {{"columns", "size"}});
    sizes_.clear();
    if (found.rows() > 0)
      for (const auto size : std::get<std::vector<std::int64_t>>(found["num_pixels"].values))
        sizes_.push_back(static_cast<SizeValueType>(size));
    original_ = sizes_.size();
    std::erase_if(sizes_, [&](auto size) { return size < this->GetMinimumObjectSize(); });
    const bool sorts = this->GetSortByObjectSize();
    if (sorts) std::stable_sort(sizes_.begin(), sizes_.end(), std::greater{});
    if (static_cast<double>(sizes_.size()) > static_cast<double>(std::numeric_limits<pixel>::max()))
      throw_as_itk(*this,
                   "Output voxel range exceeded for relabeling.  Too many objects of sufficient size found!");
    float unit = 1;
    for (const double length : this->GetInput()->GetSpacing()) unit = static_cast<float>(unit * length);
    physical_sizes_.clear();
    for (const auto size : sizes_) physical_sizes_.push_back(static_cast<float>(size) * unit);
    own_ = true;
    const arguments given{{"order", sorts ? "size" : "label"},
                          {"min_size", number(this->GetMinimumObjectSize())}};
    const auto type = output_type(*find_operator("relabel"), 0, labels.type(), labels.shape(), given);
    const auto out = this->Output(at);
    if (out.type() == type && out.data() != labels.data())
      return static_cast<void>(at.run("relabel", {labels}, out, given));
    auto numbered = at.room_for(type, labels.shape());
    at.run("relabel", {labels}, numbered, given, {0, 0.9});
    at.convert(numbered, out);
  }

 private:
  static bool HasNegative(const table& of_labels) {
    return of_labels.rows() > 0 && of_labels["minimum"][0].to_double() < 0;
  }

  /// 0 for the background and for labels that no object has.
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
