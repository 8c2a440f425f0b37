// Compiled with -fno-access-control, as override_labels.cpp. A factory must give a subclass of the class it
// stands for, and the destructor of ::itk::CannyEdgeDetectionImageFilter is private. Nothing else that is
// private is used. A program that uses our Canny by its own name does not need the flag (canny.hpp).
#include <itkCannyEdgeDetectionImageFilter.h>

#include "factory.hpp"
#include "macareu/itk/canny.hpp"

namespace macareu::itk {
namespace {

template <class TImage>
class CannyOverride : public CannyFilter<::itk::CannyEdgeDetectionImageFilter<TImage, TImage>> {
  MACAREU_ITK_FILTER(CannyOverride)
};

}  // namespace

void override_canny(Factory& factory) {
  for_types<float, double>([&]<class T, unsigned rank>() {
    using image = ::itk::Image<T, rank>;
    factory.Override<::itk::CannyEdgeDetectionImageFilter<image, image>, CannyOverride<image>>();
  });
}

}  // namespace macareu::itk
