#include "factory.hpp"
#include "macareu/itk/masks.hpp"

namespace macareu::itk {
namespace {

template <class From, class To>
void override_one(Factory& factory) {
  factory.Override<::itk::RegionalMaximaImageFilter<From, To>, RegionalMaximaImageFilter<From, To>>();
  factory.Override<::itk::RegionalMinimaImageFilter<From, To>, RegionalMinimaImageFilter<From, To>>();
  factory.Override<::itk::DoubleThresholdImageFilter<From, To>, DoubleThresholdImageFilter<From, To>>();
}

}  // namespace

void override_masks(Factory& factory) {
  for_types<unsigned char, short, unsigned short, float>([&]<class T, unsigned rank>() {
    using image = ::itk::Image<T, rank>;
    using mask = ::itk::Image<unsigned char, rank>;
    override_one<image, mask>(factory);
    if constexpr (!std::is_same_v<image, mask>) override_one<image, image>(factory);
  });
  for_types<unsigned char, short, unsigned short>([&]<class T, unsigned rank>() {
    using image = ::itk::Image<T, rank>;
    factory.Override<::itk::BinaryFillholeImageFilter<image>, BinaryFillholeImageFilter<image>>();
  });
}

}  // namespace macareu::itk
