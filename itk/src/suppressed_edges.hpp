// What GetNonMaximumSuppressionImage of ITK's Canny gives: the gradient where an edge may be, elsewhere 0.
// Nobody is told that it is asked for, so it is computed when its pixels are.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include <itkImage.h>

namespace macareu::itk {

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

  /// From now on this is an image as `like`, whose pixels `compute` writes when they are asked for.
  void Await(const TImage& like, std::function<void(Pixel*)> compute) {
    this->Initialize();
    this->CopyInformation(&like);
    this->SetRegions(like.GetRequestedRegion());
    compute_ = std::move(compute);
    this->DataHasBeenGenerated();
  }

  // ITK's iterators and filters get the pixels by these.
  Pixel* GetBufferPointer() override {
    Fill();
    return TImage::GetBufferPointer();
  }
  const Pixel* GetBufferPointer() const override { return const_cast<Self*>(this)->GetBufferPointer(); }

  // The pipeline: where it is for us to compute, ITK's filter before this image has no inputs.
  void UpdateOutputInformation() override {
    if (!compute_) TImage::UpdateOutputInformation();
  }
  void PropagateRequestedRegion() override {
    if (!compute_) return TImage::PropagateRequestedRegion();
    this->SetRequestedRegionToLargestPossibleRegion();
  }
  void UpdateOutputData() override {
    if (!compute_) return TImage::UpdateOutputData();
    Fill();
  }

  /// Releases memory; the pixels can be computed again.
  void Initialize() override {
    const auto region = this->GetBufferedRegion();
    TImage::Initialize();
    if (compute_) this->SetBufferedRegion(region);
    filled_ = false;
  }
  /// ITK's own code has computed them.
  using TImage::Graft;
  void Graft(const TImage* image) override {
    compute_ = nullptr;
    TImage::Graft(image);
  }

 protected:
  SuppressedEdges() = default;
  ~SuppressedEdges() override = default;

 private:
  void Fill() {
    if (!compute_) return;
    const std::scoped_lock alone(filling_);  // iterators may be made by several threads
    if (filled_) return;
    this->Allocate();
    compute_(TImage::GetBufferPointer());
    filled_ = true;
  }

  std::function<void(Pixel*)> compute_;
  bool filled_ = false;
  std::mutex filling_;
};

}  // namespace macareu::itk
