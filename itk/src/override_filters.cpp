#include "factory.hpp"
#include "macareu/itk/distance.hpp"
#include "macareu/itk/edges.hpp"

namespace macareu::itk {

void override_filters(Factory& factory) {
  for_types<unsigned char, short, unsigned short, float>([&]<class T, unsigned rank>() {
    using from = ::itk::Image<T, rank>;
    using to = ::itk::Image<float, rank>;
    factory.Override<::itk::SignedMaurerDistanceMapImageFilter<from, to>,
                     SignedMaurerDistanceMapImageFilter<from, to>>();
    factory.Override<::itk::DiscreteGaussianImageFilter<from, to>, DiscreteGaussianImageFilter<from, to>>();
    factory
        .Override<::itk::SobelEdgeDetectionImageFilter<from, to>, SobelEdgeDetectionImageFilter<from, to>>();
  });
}

}  // namespace macareu::itk
