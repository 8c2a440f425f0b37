// The result of GetNonMaximumSuppressionImage of ITK's Canny: the gradient where an edge may be, elsewhere 0.
// The getter cannot be overridden, so the image is computed when its pixels are accessed. Needs
// -fno-access-control, because ITK keeps m_DataReleased private.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <itkImage.h>
#include <itkMultiplyImageFilter.h>

namespace macareu::itk {

/// Thread-safe: one thread computes the pixels, concurrent readers wait.
template <class TImage>
class SuppressedEdges : public TImage {
 public:
  ITK_DISALLOW_COPY_AND_MOVE(SuppressedEdges);
  using Self = SuppressedEdges;
  using Superclass = TImage;
  using Pointer = ::itk::SmartPointer<Self>;
  using ConstPointer = ::itk::SmartPointer<const Self>;
  using Pixel = typename TImage::PixelType;
  static Pointer New() {
    Pointer made = new Self;
    made->UnRegister();
    return made;
  }

  /// Makes this an image like `like`, whose pixels `compute` writes on first access. `compute` is called
  /// once, then released.
  void Await(const TImage& like, std::function<void(Pixel*)> compute) {
    Forget();
    this->CopyInformation(&like);
    this->SetRegions(like.GetRequestedRegion());
    SetState(true, std::move(compute));
    this->DataHasBeenGenerated();
  }
  /// Drops the pixels and `compute`.
  void Forget() {
    SetState(false, nullptr);
    TImage::Initialize();
  }
  /// Computes the pixels, for an image that no longer belongs to a filter.
  void Keep() {
    Fill();
    SetState(false, nullptr);
  }

  // ITK's iterators and filters access the pixels through these.
  Pixel* GetBufferPointer() override {
    Fill();
    return TImage::GetBufferPointer();
  }
  const Pixel* GetBufferPointer() const override { return const_cast<Self*>(this)->GetBufferPointer(); }

  // Pipeline functions: when the pixels are ours, ITK's source filter has no inputs.
  void UpdateOutputInformation() override {
    if (!IsOurs()) TImage::UpdateOutputInformation();
  }
  void PropagateRequestedRegion() override {
    if (!IsOurs()) return TImage::PropagateRequestedRegion();
    this->SetRequestedRegionToLargestPossibleRegion();
  }
  void UpdateOutputData() override {
    if (!IsOurs()) return TImage::UpdateOutputData();
    Fill();
    this->m_DataReleased = false;
  }

  /// Called by ReleaseData. Our pixels are kept, because the input that they came from has been released.
  void Initialize() override {
    if (!IsOurs()) TImage::Initialize();
  }
  /// The pixels come from ITK's code.
  using TImage::Graft;
  void Graft(const TImage* image) override {
    SetState(false, nullptr);
    TImage::Graft(image);
  }

 protected:
  SuppressedEdges() = default;
  ~SuppressedEdges() override = default;

 private:
  void SetState(bool ours, std::function<void(Pixel*)> compute) {
    const std::scoped_lock alone(changing_);
    ours_ = ours;
    compute_.swap(compute);
  }
  bool IsOurs() const {
    const std::scoped_lock alone(changing_);
    return ours_;
  }
  void Fill() {
    const std::scoped_lock alone(changing_);
    if (!compute_) return;
    this->Allocate();
    compute_(TImage::GetBufferPointer());
    compute_ = nullptr;
  }

  mutable std::mutex changing_;
  bool ours_ = false;                    // the pixels are ours, not those of ITK's code
  std::function<void(Pixel*)> compute_;  // empty once computed
};

/// Replaces the filter whose output ITK's Canny returns.
template <class TImage>
class SuppressedEdgesSource : public ::itk::MultiplyImageFilter<TImage, TImage, TImage> {
 public:
  ITK_DISALLOW_COPY_AND_MOVE(SuppressedEdgesSource);
  using Self = SuppressedEdgesSource;
  using Superclass = ::itk::MultiplyImageFilter<TImage, TImage, TImage>;
  using Pointer = ::itk::SmartPointer<Self>;
  static Pointer New() {
    Pointer made = new Self;
    made->UnRegister();
    return made;
  }

  SuppressedEdges<TImage>& Edges() { return static_cast<SuppressedEdges<TImage>&>(*this->GetOutput()); }

  // The image's DisconnectPipeline is not virtual. It calls SetOutput with null, and MakeOutput for a new
  // image.
  void SetOutput(const ::itk::ProcessObject::DataObjectIdentifierType& name,
                 ::itk::DataObject* output) override {
    if (!output) Edges().Keep();
    Superclass::SetOutput(name, output);
  }
  using Superclass::MakeOutput;
  ::itk::ProcessObject::DataObjectPointer MakeOutput(
      const ::itk::ProcessObject::DataObjectIdentifierType&) override {
    return SuppressedEdges<TImage>::New().GetPointer();
  }

 protected:
  SuppressedEdgesSource() { this->SetNthOutput(0, SuppressedEdges<TImage>::New()); }
  ~SuppressedEdgesSource() override = default;
};

}  // namespace macareu::itk
