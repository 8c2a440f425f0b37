// The error of calls that exceed the limits of a GPU. Part of every build.
#pragma once

#include <macareu/error.hpp>

namespace macareu::cuda {

/// The call needs more memory or larger numbers than available. The GPU stays usable.
class too_large : public device_error {
 public:
  using device_error::device_error;
};

}  // namespace macareu::cuda
