// Factories that replace ITK's filters by ours, for the pixel types and dimensions in docs/reference/itk.md.
#pragma once

#include <itkObjectFactoryBase.h>

namespace macareu::itk {

/// The factory, for programs that manage their own list.
::itk::ObjectFactoryBase::Pointer make_factory();

/// From now on New() of a stock class returns our filter. Idempotent.
void register_factories();

}  // namespace macareu::itk
