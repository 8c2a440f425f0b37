// ITK calls this function in every library of ITK_AUTOLOAD_PATH when a program creates its first object.
#include "macareu/itk/factories.hpp"

extern "C" __attribute__((visibility("default"))) itk::ObjectFactoryBase* itkLoad() {
  static const auto factory = macareu::itk::make_factory();
  return factory.GetPointer();
}
