#include "macareu/itk/factories.hpp"

#include <algorithm>

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
  static const auto factory = make_factory();
  const auto registered = ::itk::ObjectFactoryBase::GetRegisteredFactories();
  if (std::find(registered.begin(), registered.end(), factory.GetPointer()) == registered.end())
    ::itk::ObjectFactoryBase::RegisterFactory(factory);
}

}  // namespace macareu::itk
