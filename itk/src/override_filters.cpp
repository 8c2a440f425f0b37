#define MACAREU_ITK_FUSED_AS in_library
#include "factory.hpp"
#include "macareu/itk/distance.hpp"
#include "macareu/itk/edges.hpp"

namespace macareu::itk {

namespace {

template <class From, class To>
void override_gaussian(Factory& factory) {
  factory.Override<::itk::DiscreteGaussianImageFilter<From, To>, DiscreteGaussianImageFilter<From, To>>();
}

}  // namespace

void override_filters(Factory& factory) {
  for_types<unsigned char, short, unsigned short, float>([&]<class T, unsigned rank>() {
    using from = ::itk::Image<T, rank>;
    using to = ::itk::Image<float, rank>;
    factory.Override<::itk::SignedMaurerDistanceMapImageFilter<from, to>,
                     SignedMaurerDistanceMapImageFilter<from, to>>();
    factory
        .Override<::itk::SobelEdgeDetectionImageFilter<from, to>, SobelEdgeDetectionImageFilter<from, to>>();
    override_gaussian<from, to>(factory);
  });
  for_types<unsigned char, short, unsigned short, double>([&]<class T, unsigned rank>() {
    override_gaussian<::itk::Image<T, rank>, ::itk::Image<T, rank>>(factory);
  });
}

}  // namespace macareu::itk
