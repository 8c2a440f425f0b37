// Lazy images. On a GPU our filters pass pixels on without a copy to the host. The pixels are copied when the
// host's buffer is requested, for example by ITK's filters. Stock images have no copy on the GPU.
#pragma once

#include <itkImage.h>

#include <macareu/itk/device_buffer.hpp>
#include <macareu/itk/run.hpp>
#include <macareu/itk/views.hpp>

namespace macareu::itk {

/// An ::itk::Image for iterators and filters: GetBufferPointer() returns the host's buffer and brings it up
/// to date. Both overloads make the GPU's copy stale, since ITK's iterators write through the const one.
/// PixelsToRead() does not.
///
/// ITK accesses the buffer without a virtual function in the cases below. There, call GetBufferPointer()
/// after each run of the filter that writes the image, and before the access:
///   - SetPixel, GetPixel, operator[], FillBuffer and ranges (ImageBufferRange, ImageRegionRange, ...)
///     through a pointer or reference to ::itk::Image, as interpolators, image functions and some stock
///     filters do;
///   - ==, the pixel container, and Graft of a lazy image into a stock one.
///
/// Do not keep pointers and references to pixels across a filter that writes to the image.
template <class TPixel, unsigned int VDimension = 2>
class Image : public ::itk::Image<TPixel, VDimension>, public lazy_pixels {
 public:
  ITK_DISALLOW_COPY_AND_MOVE(Image);
  using Self = Image;
  using Superclass = ::itk::Image<TPixel, VDimension>;
  using Pointer = ::itk::SmartPointer<Self>;
  using ConstPointer = ::itk::SmartPointer<const Self>;
  using ConstWeakPointer = ::itk::WeakPointer<const Self>;
  using typename Superclass::IndexType;
  using AccessorFunctorType = ::itk::DefaultPixelAccessorFunctor<Self>;
  using NeighborhoodAccessorFunctorType = ::itk::NeighborhoodAccessorFunctor<Self>;
  NeighborhoodAccessorFunctorType GetNeighborhoodAccessor() { return {}; }
  const NeighborhoodAccessorFunctorType GetNeighborhoodAccessor() const { return {}; }
  template <class UPixel, unsigned int VUDimension = VDimension>
  struct Rebind {
    using Type = Image<UPixel, VUDimension>;
  };

  static Pointer New() {
    Pointer made = new Self;
    made->UnRegister();
    return made;
  }
  ::itk::LightObject::Pointer CreateAnother() const override { return New().GetPointer(); }

  TPixel* GetBufferPointer() override {
    PixelsToRead();
    pixels_->host_was_written();
    return Superclass::GetBufferPointer();
  }
  const TPixel* GetBufferPointer() const override { return const_cast<Self*>(this)->GetBufferPointer(); }
  /// The host's pixels, up to date, for reading only. The GPU's copy stays valid.
  const TPixel* PixelsToRead() const {
    return with_errors_of_itk(*this, [this] { return static_cast<const TPixel*>(HostPixels()); });
  }

  // ITK's versions access the buffer without GetBufferPointer().
  void FillBuffer(const TPixel& value) {
    pixels_->host_was_written();
    Superclass::FillBuffer(value);
  }
  void SetPixel(const IndexType& index, const TPixel& value) {
    GetBufferPointer()[this->ComputeOffset(index)] = value;
  }
  const TPixel& GetPixel(const IndexType& index) const { return PixelsToRead()[this->ComputeOffset(index)]; }
  TPixel& GetPixel(const IndexType& index) { return GetBufferPointer()[this->ComputeOffset(index)]; }
  TPixel& operator[](const IndexType& index) { return GetPixel(index); }
  const TPixel& operator[](const IndexType& index) const { return GetPixel(index); }

  void Allocate(bool clear = false) override {
    Superclass::Allocate(clear);
    pixels_ = std::make_shared<device_buffer>();
  }
  void Initialize() override {
    Superclass::Initialize();
    pixels_ = std::make_shared<device_buffer>();
  }

  void SetPixelContainer(typename Superclass::PixelContainer* container) {
    Superclass::SetPixelContainer(container);
    pixels_ = std::make_shared<device_buffer>();
  }

  using Superclass::Graft;
  void Graft(const Superclass* image) override {
    Superclass::Graft(image);
    const auto* other = dynamic_cast<const Self*>(image);
    pixels_ = other ? other->pixels_ : std::make_shared<device_buffer>();
  }

  bool IsOnDevice() const override { return pixels_->on_device_only(); }
  const_image_view DeviceView() const override {
    const void* data = pixels_->to_device(const_cast<Self*>(this)->Superclass::GetBufferPointer(), Bytes());
    return {data, dtype_of<TPixel>, Shape(), contiguous_strides(Shape())};
  }
  image_view DeviceOutput() override {
    return {pixels_->for_writing(Bytes()), dtype_of<TPixel>, Shape(), contiguous_strides(Shape())};
  }
  void DeviceWasWritten() override { pixels_->device_was_written(); }
  const void* HostPixels() const override {
    pixels_->to_host(const_cast<Self*>(this)->Superclass::GetBufferPointer(), Bytes());
    return Superclass::GetBufferPointer();
  }

 protected:
  Image() = default;
  ~Image() override = default;

 private:
  std::size_t Bytes() const { return this->GetBufferedRegion().GetNumberOfPixels() * sizeof(TPixel); }
  extents Shape() const { return detail::layout<Superclass>(*this, this->GetBufferedRegion()).shape; }

  std::shared_ptr<device_buffer> pixels_ = std::make_shared<device_buffer>();
};

}  // namespace macareu::itk
