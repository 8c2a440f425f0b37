// The error of calls for which a GPU is too small, in builds without CUDA too.
#pragma once

#include <macareu/error.hpp>

namespace macareu::cuda {

/// Nothing failed: what was asked for needs more memory, or larger numbers, than there are.
class too_large : public device_error {
 public:
  using device_error::device_error;
};

}  // namespace macareu::cuda
