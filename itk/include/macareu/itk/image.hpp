// Images that move lazily: in a chain of our filters on a GPU pixels stay there until somebody asks for the
// host's buffer, with one copy at most each way. Stock images read their buffer directly and cannot do that.
#pragma once

#include <itkImage.h>

#include <macareu/itk/device_buffer.hpp>
#include <macareu/itk/views.hpp>

namespace macareu::itk {

/// An ::itk::Image wherever one is wanted. Iterators and stock filters get the host's buffer by
/// GetBufferPointer(), which brings it up to date; whoever may write to it makes the GPU's copy stale.
/// References to pixels, and the pixel container, must not be kept across a filter that writes to the image.
template <class TPixel, unsigned int VDimension = 2>
class Image : public ::itk::Image<TPixel, VDimension> {
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
    pixels_->to_host(Superclass::GetBufferPointer(), Bytes());
    pixels_->host_was_written();
    return Superclass::GetBufferPointer();
  }
  const TPixel* GetBufferPointer() const override {
    pixels_->to_host(const_cast<Self*>(this)->Superclass::GetBufferPointer(), Bytes());
    return Superclass::GetBufferPointer();
  }

  // ITK's own of these read the buffer without GetBufferPointer().
  void FillBuffer(const TPixel& value) {
    pixels_->host_was_written();
    Superclass::FillBuffer(value);
  }
  void SetPixel(const IndexType& index, const TPixel& value) {
    GetBufferPointer()[this->ComputeOffset(index)] = value;
  }
  const TPixel& GetPixel(const IndexType& index) const {
    return GetBufferPointer()[this->ComputeOffset(index)];
  }
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

  /// Whether the newest pixels are on the GPU only.
  bool IsOnDevice() const { return pixels_->on_device_only(); }
  /// The GPU's copy, brought up to date.
  const_image_view DeviceView() const {
    const void* data = pixels_->to_device(const_cast<Self*>(this)->Superclass::GetBufferPointer(), Bytes());
    return {data, dtype_of<TPixel>, Shape(), contiguous_strides(Shape())};
  }
  /// The GPU's copy, to be written as a whole.
  image_view DeviceOutput() {
    return {pixels_->for_writing(Bytes()), dtype_of<TPixel>, Shape(), contiguous_strides(Shape())};
  }

 protected:
  Image() = default;
  ~Image() override = default;

 private:
  std::size_t Bytes() const { return this->GetBufferedRegion().GetNumberOfPixels() * sizeof(TPixel); }
  extents Shape() const { return detail::layout<Superclass>(*this, this->GetBufferedRegion()).shape; }

  std::shared_ptr<device_buffer> pixels_ = std::make_shared<device_buffer>();
};

template <class TPixel, unsigned int VDimension>
inline constexpr bool is_lazy<Image<TPixel, VDimension>> = true;

}  // namespace macareu::itk
