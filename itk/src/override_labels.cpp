// Compiled with -fno-access-control: ITK's functions for object sizes are not virtual, so the override fills
// in the private members that they read.
#include "factory.hpp"
#include "macareu/itk/labels.hpp"

namespace macareu::itk {
namespace {

template <class TImage>
class RelabelOverride : public RelabelComponentImageFilter<TImage, TImage> {
  MACAREU_ITK_FILTER(RelabelOverride)

  void Compute(workplace& at) override {
    RelabelComponentImageFilter<TImage, TImage>::Compute(at);
    this->m_SizeOfObjectsInPixels = this->GetSizeOfObjectsInPixels();
    this->m_SizeOfObjectsInPhysicalUnits = this->GetSizeOfObjectsInPhysicalUnits();
    this->m_NumberOfObjects = this->m_SizeOfObjectsInPixels.size();
    this->m_OriginalNumberOfObjects = this->GetOriginalNumberOfObjects();
  }
};

template <class TBinary, class TLabels>
void override_components(Factory& factory) {
  factory.Override<::itk::ConnectedComponentImageFilter<TBinary, TLabels, TBinary>,
                   ConnectedComponentImageFilter<TBinary, TLabels, TBinary>>();
}

}  // namespace

void override_labels(Factory& factory) {
  for_types<unsigned short, unsigned int, unsigned long>([&]<class T, unsigned rank>() {
    using labels = ::itk::Image<T, rank>;
    override_components<::itk::Image<unsigned char, rank>, labels>(factory);
    override_components<::itk::Image<short, rank>, labels>(factory);
    override_components<::itk::Image<unsigned short, rank>, labels>(factory);
    override_components<::itk::Image<int, rank>, labels>(factory);
    factory.Override<::itk::RelabelComponentImageFilter<labels, labels>, RelabelOverride<labels>>();
  });
}

}  // namespace macareu::itk
