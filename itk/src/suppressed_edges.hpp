// What GetNonMaximumSuppressionImage of ITK's Canny gives: the gradient where an edge may be, elsewhere 0.
// Nobody is told that it is asked for, so it is computed when its pixels are. For files that are compiled
// with -fno-access-control: ITK keeps to itself whether pixels have been released.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <itkImage.h>
#include <itkMultiplyImageFilter.h>

namespace macareu::itk {

/// Threads may ask for the pixels at the same time: one computes, and the others wait.
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

  /// From now on this is an image as `like`, whose pixels `compute` writes when they are asked for. It is
  /// called once, and what it holds is let go then.
  void Await(const TImage& like, std::function<void(Pixel*)> compute) {
    Forget();
    this->CopyInformation(&like);
    this->SetRegions(like.GetRequestedRegion());
    SetState(true, std::move(compute));
    this->DataHasBeenGenerated();
  }
  /// No pixels, and nothing that they could be computed from.
  void Forget() {
    SetState(false, nullptr);
    TImage::Initialize();
  }
  /// The pixels, for an image that belongs to no filter any more.
  void Keep() {
    Fill();
    SetState(false, nullptr);
  }

  // ITK's iterators and filters get the pixels by these.
  Pixel* GetBufferPointer() override {
    Fill();
    return TImage::GetBufferPointer();
  }
  const Pixel* GetBufferPointer() const override { return const_cast<Self*>(this)->GetBufferPointer(); }

  // The pipeline: where it is for us to compute, ITK's filter before this image has no inputs.
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

  /// What ReleaseData calls: pixels of ours stay, since what they were computed from has been let go.
  void Initialize() override {
    if (!IsOurs()) TImage::Initialize();
  }
  /// ITK's own code has computed them.
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
  bool ours_ = false;                    // whether the pixels are not for ITK's code to give
  std::function<void(Pixel*)> compute_;  // empty when they are there
};

/// In the place of the filter whose output ITK's Canny hands out.
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

  // DisconnectPipeline of the image, which is not virtual, gives no output to the first and takes another one
  // of the second.
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
