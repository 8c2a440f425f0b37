// Stock filters beside ours in one program.
#pragma once

#include <string>
#include <typeinfo>

#include <itkObjectFactoryBase.h>

#include <macareu/itk/factories.hpp>

/// The filter as it is without our factory, which is registered again afterwards.
template <class Filter>
typename Filter::Pointer stock_filter() {
  itk::ObjectFactoryBase::UnRegisterAllFactories();
  auto made = Filter::New();
  macareu::itk::register_factories();
  return made;
}

template <class Filter>
bool is_ours(const Filter& filter) {
  return std::string(typeid(filter).name()).find("macareu") != std::string::npos;
}
