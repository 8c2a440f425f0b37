// Where a filter computes, host or GPU: memory, operators of the catalogue and pixelwise operations. A filter
// is written once, for views of either.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <itkProcessObject.h>

#include <macareu/image.hpp>
#include <macareu/itk/run.hpp>
#include <macareu/itk/views.hpp>

namespace macareu::itk {

/// A contiguous image in the memory of a workplace.
class temporary {
 public:
  temporary() = default;
  temporary(std::shared_ptr<void> data, dtype type, const extents& shape)
      : data_(std::move(data)), type_(type), shape_(shape) {}

  dtype type() const { return type_; }
  const extents& shape() const { return shape_; }
  operator image_view() { return {data_.get(), type_, shape_, contiguous_strides(shape_)}; }
  operator const_image_view() const { return {data_.get(), type_, shape_, contiguous_strides(shape_)}; }

 private:
  std::shared_ptr<void> data_;
  dtype type_ = dtype::u8;
  extents shape_;
};

/// All functions throw errors of Macareu; run() also throws exceptions of ITK (run.hpp).
class workplace {
 public:
  /// `is_named`: whether the filter's user named a device, which may differ from `device`.
  workplace(::itk::ProcessObject& filter, std::string device, bool is_named, bool on_gpu)
      : filter_(filter), device_(std::move(device)), is_named_(is_named), on_gpu_(on_gpu) {}
  workplace(const workplace&) = delete;
  workplace& operator=(const workplace&) = delete;

  bool on_gpu() const { return on_gpu_; }
  /// Whether nobody named a device, and it is the host: there ITK's own roundings count.
  bool as_itk() const { return !on_gpu_ && !is_named_; }

  temporary room_for(dtype type, const extents& shape) const;

  run_report run(std::string_view name, std::initializer_list<const_image_view> inputs, const image_view& out,
                 const arguments& given, step part = {}) const;
  /// A step before or after the operator that the filter is for, where the pixels are. No progress is told.
  void apply(std::string_view name, std::initializer_list<const_image_view> inputs, const image_view& out,
             const arguments& given = {}) const;
  table tabulate(std::string_view name, const const_image_view& input, const arguments& given = {}) const;

  /// Into another pixel type, or a copy.
  void convert(const const_image_view& from, const image_view& to) const;
  /// A mask of the pixels from low to high, or of all others.
  temporary between(const const_image_view& image, const number& low, const number& high,
                    bool others = false) const;
  /// One of two values, by a mask.
  void choose(const const_image_view& mask, const number& inside, const number& outside,
              const image_view& to) const;

  /// For a GPU: copies of inputs, and memory for an output. finish() copies the output to the host, or marks
  /// it as written on the GPU.
  const_image_view bring(const const_image_view& host);
  image_view bring_back(const image_view& host);
  image_view leave_there(lazy_pixels& output);
  void finish();

 private:
  std::string device_of_steps() const;

  ::itk::ProcessObject& filter_;
  std::string device_;
  bool is_named_, on_gpu_;
  std::vector<temporary> inputs_;
  std::vector<std::pair<temporary, image_view>> to_host_;
  std::vector<lazy_pixels*> written_;
};

}  // namespace macareu::itk
