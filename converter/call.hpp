// A call of a described function: images, parameters and result. The same for every device.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <macareu/image.hpp>

#include "description.hpp"
#include "generate.hpp"

namespace macareu::converter {

/// Must match templates/entry.cpp.
union parameter_value {
  long long whole;
  unsigned long long natural;
  double real;
};

struct call {
  description about;
  generation how;
  std::vector<const image*> images;     ///< of the function's pixel types, all of one shape
  std::vector<parameter_value> values;  ///< in the order of the description
  int bins = 256;
  int connectivity = 8;

  const extents& shape() const { return images[0]->shape(); }
};

/// The result as bytes of the function's result type: an image, one value, or a vector.
using result_bytes = std::vector<std::byte>;

/// Size of the result in bytes.
std::size_t result_size(const call& given);

/// Throws usage_error if the images do not fit the function, in shape or number of pixels.
void check_call(const call& given);

}  // namespace macareu::converter
