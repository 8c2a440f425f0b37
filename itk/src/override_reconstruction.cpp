#include "factory.hpp"
#include "macareu/itk/reconstruction.hpp"

namespace macareu::itk {

void override_reconstruction(Factory& factory) {
  for_types<unsigned char, short, unsigned short, int, float, double>([&]<class T, unsigned rank>() {
    using image = ::itk::Image<T, rank>;
    factory.Override<::itk::ReconstructionByDilationImageFilter<image, image>,
                     ReconstructionByDilationImageFilter<image, image>>();
    factory.Override<::itk::ReconstructionByErosionImageFilter<image, image>,
                     ReconstructionByErosionImageFilter<image, image>>();
    factory.Override<::itk::GrayscaleFillholeImageFilter<image, image>,
                     GrayscaleFillholeImageFilter<image, image>>();
    factory.Override<::itk::HMaximaImageFilter<image, image>, HMaximaImageFilter<image, image>>();
    factory.Override<::itk::HMinimaImageFilter<image, image>, HMinimaImageFilter<image, image>>();
  });
}

}  // namespace macareu::itk
