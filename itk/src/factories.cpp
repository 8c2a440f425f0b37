#include "macareu/itk/factories.hpp"

#include "factory.hpp"

namespace macareu::itk {

Factory::Factory() {
  override_canny(*this);
  override_filters(*this);
  override_labels(*this);
  override_masks(*this);
  override_reconstruction(*this);
}

::itk::ObjectFactoryBase::Pointer make_factory() { return Factory::New().GetPointer(); }

void register_factories() {
  static const bool once = ::itk::ObjectFactoryBase::RegisterFactory(make_factory());
  static_cast<void>(once);
}

}  // namespace macareu::itk
