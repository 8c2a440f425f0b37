// Compiled with -fno-access-control, as override_labels.cpp. A factory must give a subclass of the class it
// stands for, and the destructor of ::itk::CannyEdgeDetectionImageFilter is private; so is the filter whose
// output GetNonMaximumSuppressionImage hands out, without a virtual function (suppressed_edges.hpp). Nothing
// else that is private is used, but for New(), which would ask the factory. A program that uses our Canny by
// its own name does not need the flag (canny.hpp).
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
    suppressed_->Edges().Forget();  // and the input of the last run
    CannyFilter<Stock>::Compute(at);
    suppressed_->Edges().Await(
        *this->GetOutput(),
        [input = typename TImage::ConstPointer(this->GetInput()), variance = this->GetVariance(),
         error = this->GetMaximumError(), units = this->GetNumberOfWorkUnits(),
         time = this->GetInput()->GetMTime()](Pixel* to) {
          if (input->GetMTime() != time || input->GetDataReleased())
            throw ::itk::ExceptionObject(__FILE__, __LINE__,
                                         "CannyEdgeDetectionImageFilter: the image of suppressed edges is "
                                         "computed when it is asked for, and the input has changed since");
          auto own = OwnOfItk();
          own->SetInput(Apart(*input));
          own->SetVariance(variance);
          own->SetMaximumError(error);
          own->SetUpperThreshold(std::numeric_limits<Pixel>::max());  // no edges are wanted
          own->SetNumberOfWorkUnits(units);
          own->Update();
          const auto* found = own->m_MultiplyImageFilter->GetOutput();
          std::copy_n(found->GetBufferPointer(), found->GetBufferedRegion().GetNumberOfPixels(), to);
        });
  }

 private:
  using Pixel = typename TImage::PixelType;

  /// The same pixels without what is before them in a pipeline.
  static typename TImage::Pointer Apart(const TImage& image) {
    with_errors_of_itk(image, [&] { return pixels_of(&image); });  // on the host, where it is a lazy one
    auto apart = TImage::New();
    apart->Graft(&image);
    return apart;
  }

  /// ITK's code finds where an edge may be: of flat parts of an image roundings alone decide. New() would
  /// give a filter of ours.
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
