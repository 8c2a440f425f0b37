// Our filters in the place of ITK's own, for the pixel types and dimensions listed in docs/reference/itk.md.
#pragma once

#include <itkObjectFactoryBase.h>

namespace macareu::itk {

/// The factory, for programs that keep their own list.
::itk::ObjectFactoryBase::Pointer make_factory();

/// From now on New() of a stock class gives our filter. Calling it again changes nothing.
void register_factories();

}  // namespace macareu::itk
