// Compiled with -fno-access-control, as override_labels.cpp. A factory must return a subclass of the stock
// class, but the destructor of ::itk::CannyEdgeDetectionImageFilter is private. The filter behind
// GetNonMaximumSuppressionImage, which is not virtual, is private too (suppressed_edges.hpp). The only other
// private member in use is the constructor, since New() would call the factory. Programs that use our Canny
// by name do not need the flag (canny.hpp).
#include <algorithm>
#include <limits>

#include <itkCannyEdgeDetectionImageFilter.h>

#include "factory.hpp"
#include "macareu/itk/canny.hpp"
#include "suppressed_edges.hpp"

namespace macareu::itk {
namespace {

template <class TImage>
class CannyOverride : public CannyFilter<::itk::CannyEdgeDetectionImageFilter<TImage, TImage>> {
  using Stock = ::itk::CannyEdgeDetectionImageFilter<TImage, TImage>;
  MACAREU_ITK_FILTER(CannyOverride)

  void Compute(workplace& at) override {
    suppressed_->Edges().Forget();  // also releases the input of the last run
    CannyFilter<Stock>::Compute(at);
    suppressed_->Edges().Await(
        *this->GetOutput(),
        [input = typename TImage::ConstPointer(this->GetInput()), variance = this->GetVariance(),
         error = this->GetMaximumError(), units = this->GetNumberOfWorkUnits(),
         time = this->GetInput()->GetMTime()](Pixel* to) {
          if (input->GetMTime() != time || input->GetDataReleased())
            throw ::itk::ExceptionObject(__FILE__, __LINE__,
                                         "CannyEdgeDetectionImageFilter: the input changed before the image "
                                         "of suppressed edges was computed; update the filter first");
          auto own = OwnOfItk();
          own->SetInput(Apart(*input));
          own->SetVariance(variance);
          own->SetMaximumError(error);
          own->SetUpperThreshold(std::numeric_limits<Pixel>::max());  // edges are not needed
          own->SetNumberOfWorkUnits(units);
          own->Update();
          const auto* found = own->m_MultiplyImageFilter->GetOutput();
          std::copy_n(found->GetBufferPointer(), found->GetBufferedRegion().GetNumberOfPixels(), to);
        });
  }

 private:
  using Pixel = typename TImage::PixelType;

  /// The same pixels, disconnected from their pipeline.
  static typename TImage::Pointer Apart(const TImage& image) {
    with_errors_of_itk(image, [&] { return pixels_of(&image); });  // copies a lazy image to the host
    auto apart = TImage::New();
    apart->Graft(&image);
    return apart;
  }

  /// ITK's code finds the candidate edges, because in flat parts of an image only rounding decides. New()
  /// would return our filter.
  static typename Stock::Pointer OwnOfItk() {
    typename Stock::Pointer made = new Stock;
    made->UnRegister();
    return made;
  }

  typename SuppressedEdgesSource<TImage>::Pointer PutSource() {
    auto made = SuppressedEdgesSource<TImage>::New();
    this->m_MultiplyImageFilter = made;
    return made;
  }
  const typename SuppressedEdgesSource<TImage>::Pointer suppressed_ = PutSource();
};

}  // namespace

void override_canny(Factory& factory) {
  for_types<float, double>([&]<class T, unsigned rank>() {
    using image = ::itk::Image<T, rank>;
    factory.Override<::itk::CannyEdgeDetectionImageFilter<image, image>, CannyOverride<image>>();
  });
}

}  // namespace macareu::itk
